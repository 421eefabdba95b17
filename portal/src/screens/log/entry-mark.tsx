import { texts } from '../../texts.ts';
import { Mark, useVerdict, type MarkState } from '../../verification/marks';
import { entryFile } from '../../verification/proof-files';
import type { Question } from '../../verification/questions';
import type { EntryNode } from './documents';
import { usePageCheckpoint } from './log-mark';

const words = texts(
  {
    entry: 'Entry',
    waiting: 'The entry has no place in the log yet. It gets one within seconds.',
    noProof: 'The gateway returned no proof of this entry.',
  },
  {
    fr: {
      entry: 'Entrée',
      waiting: 'L’entrée n’a pas encore de place dans le journal. Elle en reçoit une en quelques secondes.',
      noProof: 'La passerelle n’a donné aucune preuve de cette entrée.',
    },
  },
);

/** What must be shown for the entry to be the one that was logged. */
function questionOf(entry: EntryNode): (Question & { ask: 'entry' }) | undefined {
  const { index, logged, checkpoint } = entry;
  if (index === null || !logged || !checkpoint) return undefined;
  return {
    ask: 'entry',
    index,
    note: checkpoint.note,
    verifierKey: checkpoint.verifierKey,
    keyChanges: checkpoint.keyChanges,
    entry: logged.entry,
    salts: logged.salts,
    hashes: logged.inclusion,
    shown: {
      event_type: entry.eventType,
      user: entry.user,
      user_id: entry.userId,
      object: entry.object,
      details: entry.details,
      application_foreign_id: entry.foreignId,
      case_id: entry.caseId,
      created_at: entry.createdAt,
    },
  };
}

/** Valid if the entry is in a signed tree, and that tree belongs to the log that this browser follows. */
export function useEntryState(entry: EntryNode): MarkState {
  const page = usePageCheckpoint(entry.checkpoint);
  const question = questionOf(entry);
  const stands = useVerdict(question);
  if (question === undefined)
    return { kind: 'not checkable', because: entry.index === null ? words.waiting : words.noProof };
  return page.kind === 'verdict' && page.verdict.holds ? stands : page;
}

export function EntryMark({ entry }: { readonly entry: EntryNode }) {
  const state = useEntryState(entry);
  const question = questionOf(entry);
  return (
    <Mark
      of={`${words.entry}${entry.index === null ? '' : ` ${entry.index}`}`}
      state={state}
      file={question && entryFile(question)}
    />
  );
}
