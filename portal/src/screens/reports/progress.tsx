import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Notice } from '../../design/states';
import { countText } from '../../format.ts';
import { follow } from '../../graphql/live';
import { texts } from '../../texts.ts';
import { PROGRESS, type Generation } from './documents';

const words = texts(
  {
    starting: 'The report is being made. You can leave this page.',
    running: (done: string, total: string) =>
      `The report is being made: ${done} of ${total} records. You can leave this page.`,
    estimated: (done: string, total: string) =>
      `The report is being made: ${done} of about ${total} records. You can leave this page.`,
    counting: (done: string) => `The report is being made: ${done} records so far. You can leave this page.`,
    finished: 'The report is finished.',
    failed: 'The report failed.',
  },
  {
    fr: {
      starting: 'Le rapport est en cours. Vous pouvez quitter cette page.',
      running: (done: string, total: string) =>
        `Le rapport est en cours : ${done} enregistrements sur ${total}. Vous pouvez quitter cette page.`,
      estimated: (done: string, total: string) =>
        `Le rapport est en cours : ${done} enregistrements sur environ ${total}. Vous pouvez quitter cette page.`,
      counting: (done: string) =>
        `Le rapport est en cours : ${done} enregistrements jusqu’ici. Vous pouvez quitter cette page.`,
      finished: 'Le rapport est terminé.',
      failed: 'Le rapport a échoué.',
    },
  },
);

/** Follows the making of a report until it is there. */
export function Progress({ app, id }: { readonly app: string; readonly id: string }) {
  const client = useQueryClient();
  const [generation, setGeneration] = useState<Generation>();
  useEffect(
    () =>
      follow(
        PROGRESS,
        { foreignId: app, id },
        {
          next({ reportProgress }) {
            setGeneration(reportProgress);
            if (reportProgress.status === 'finished')
              void client.invalidateQueries({ queryKey: ['reports'] });
          },
          ended: () => void client.invalidateQueries({ queryKey: ['reports'] }),
        },
      ),
    [app, id, client],
  );
  return (
    <div role="status">
      <Notice
        tone={generation?.status === 'failed' ? 'bad' : generation?.status === 'finished' ? 'good' : 'plain'}
      >
        {generation?.status === 'finished'
          ? words.finished
          : generation?.status === 'failed'
            ? `${words.failed} ${generation.failure ?? ''}`
            : !generation
              ? words.starting
              : generation.recordTotal === null
                ? words.counting(countText(generation.recordCount))
                : words[generation.recordTotalIsEstimate ? 'estimated' : 'running'](
                    countText(generation.recordCount),
                    countText(generation.recordTotal),
                  )}
      </Notice>
    </div>
  );
}
