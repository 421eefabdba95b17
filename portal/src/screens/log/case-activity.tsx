import { usePages } from '../../graphql/hooks';
import { CASE_LOG, LOG, provenEntries } from './documents';
import { Entries } from './entries';
import { LogMark } from './log-mark';

/** The activity of a case: for its auditor, or for a reader of the application's log. */
export function CaseActivity({
  app,
  id,
  oversees,
}: {
  readonly app: string;
  readonly id: string;
  readonly oversees: boolean;
}) {
  const asAuditor = usePages(
    ['caseActivityLog', app, id],
    CASE_LOG,
    { foreignId: app, caseId: id },
    ({ caseActivityLog }) => provenEntries(caseActivityLog),
    { enabled: !oversees },
  );
  const asReader = usePages(
    ['activityLog', app, 'case', id],
    LOG,
    { foreignId: app, caseId: id },
    ({ activityLog }) => provenEntries(activityLog),
    { enabled: oversees },
  );
  return (
    <>
      <div>
        <LogMark />
      </div>
      <Entries pages={oversees ? asReader : asAuditor} isOfCase />
    </>
  );
}
