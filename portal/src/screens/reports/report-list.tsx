import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { APPLICATION_PLACES, holdsOwner, type Held } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Layer } from '../../design/dialog';
import { Listing } from '../../design/states';
import { Badge, Code, Time } from '../../design/values';
import { countText, sizeText } from '../../format.ts';
import type { Pages } from '../../graphql/hooks';
import { counted, texts } from '../../texts.ts';
import { Mark } from '../../verification/marks';
import { EntryMark } from '../log/entry-mark';
import { Name } from '../names';
import type { ReportNode } from './documents';
import { ReportCheck } from './report-check';
import { eventTypeOf, NO_ENTRY, useReportEntries, type ReportEntries } from './report-entries.ts';
import { TYPE_NAMES } from './type-names.ts';

const words = texts(
  {
    label: 'Reports, newest first',
    empty:
      'There is no report yet. The auditors of a case create reports of it, and owners create reports of the activity log.',
    records: (count: number) => counted(count, 'record', 'records'),
    by: 'by',
    ofCase: 'Case:',
    hash: 'the SHA-256',
    place: (index: string) => `entry ${index} of the log`,
    entry: (index: number) => `Entry ${index}`,
    waiting: 'waits for its place in the log',
    download: 'Download',
    deleted: 'deleted',
    notYours: 'You may not download it.',
    auditorsOnly: 'The auditors of its case may download it while the case is open.',
    logged: 'A download is logged.',
    check: 'Check a file…',
    checkTitle: 'Check a file against this report',
  },
  {
    fr: {
      label: 'Rapports, le plus récent d’abord',
      empty:
        'Il n’y a pas encore de rapport. Les auditeurs d’un dossier en créent, et les propriétaires en créent du journal.',
      records: (count: number) => counted(count, 'enregistrement', 'enregistrements'),
      by: 'par',
      ofCase: 'Dossier :',
      hash: 'le SHA-256',
      place: (index: string) => `entrée ${index} du journal`,
      entry: (index: number) => `Entrée ${index}`,
      waiting: 'attend sa place dans le journal',
      download: 'Télécharger',
      deleted: 'supprimé',
      notYours: 'Vous ne pouvez pas le télécharger.',
      auditorsOnly: 'Les auditeurs de son dossier peuvent le télécharger tant que le dossier est ouvert.',
      logged: 'Un téléchargement est journalisé.',
      check: 'Vérifier un fichier…',
      checkTitle: 'Comparer un fichier à ce rapport',
    },
  },
);

export function ReportList({
  pages,
  downloadOf,
  isOfOrganization = false,
  isOfCase = false,
}: {
  readonly pages: Pages<ReportNode>;
  /** The address of a report's file, for who may download it. */
  readonly downloadOf: ((report: ReportNode) => string) | undefined;
  /** Reports of several applications: each says which. */
  readonly isOfOrganization?: boolean;
  /** Reports of one case, which the place names. */
  readonly isOfCase?: boolean;
}) {
  const [checked, setChecked] = useState<ReportNode>();
  usePlaces(pages);
  const entries = useReportEntries(pages.nodes);
  return (
    <>
      <Listing pages={pages} empty={words.empty}>
        {(nodes) => (
          <ul className="list" aria-label={words.label}>
            {nodes.map((report) => (
              <li key={report.id} className="item">
                <div>
                  <strong>
                    {TYPE_NAMES[report.reportType]}, {report.format.toUpperCase()}
                  </strong>
                  <p className="soft">
                    <Time at={report.generatedAt} /> {words.by} {report.generatedBy.name} ·{' '}
                    {isOfOrganization && report.application && <>{report.application.name} · </>}
                    {words.records(report.metadata.recordCount)}
                    {report.metadata.sizeBytes !== null && ` · ${sizeText(report.metadata.sizeBytes)}`}
                  </p>
                  {!isOfCase && report.metadata.caseId !== null && (
                    <p className="soft">
                      {words.ofCase}{' '}
                      <Name id={report.metadata.caseId} app={report.application?.foreignId} isLink />
                    </p>
                  )}
                  <p className="soft">
                    {report.metadata.sha256 !== null && (
                      <>
                        SHA-256 <Code value={report.metadata.sha256} ends={10} what={words.hash} /> ·{' '}
                      </>
                    )}
                    <LogPlace report={report} /> <PlaceMark report={report} reading={entries} />
                  </p>
                </div>
                <div className="row">
                  {report.metadata.fileDeleted ? (
                    <Badge>{words.deleted}</Badge>
                  ) : report.metadata.sha256 === null ? (
                    <span className="soft">
                      {report.metadata.caseId === null ? words.notYours : words.auditorsOnly}
                    </span>
                  ) : (
                    downloadOf && (
                      <a className="button" href={downloadOf(report)} download>
                        {words.download}
                      </a>
                    )
                  )}
                  {report.metadata.sha256 !== null && (
                    <Button onPress={() => setChecked(report)}>{words.check}</Button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </Listing>
      {checked && (
        <Layer title={words.checkTitle} onClose={() => setChecked(undefined)}>
          <ReportCheck report={checked} />
        </Layer>
      )}
    </>
  );
}

/** How often a list is read again for a place in the log, which takes seconds: a page left open lets its session end. */
const MAX_LOOKS = 5;
const BETWEEN_LOOKS_MS = 2_000;

/** Reads the list again until each report has its place in the log. */
function usePlaces({ nodes, readAgain }: Pages<ReportNode>): void {
  const looks = useRef(0);
  useEffect(() => {
    const waits = nodes.some(({ metadata }) => metadata.logIndex === null);
    if (!waits) looks.current = 0;
    if (!waits || looks.current >= MAX_LOOKS) return undefined;
    const timer = setTimeout(() => {
      looks.current += 1;
      readAgain();
    }, BETWEEN_LOOKS_MS);
    return () => clearTimeout(timer);
  }, [nodes, readAgain]);
}

/** Its entry of the log, as a link for who may read it. */
function LogPlace({ report: { metadata, application } }: { readonly report: ReportNode }) {
  const { permissions } = useViewer();
  if (metadata.logIndex === null) return words.waiting;
  const text = words.place(countText(metadata.logIndex));
  const search = { entry: metadata.logIndex };
  if (holdsOwner(permissions, 'logs:view_activity'))
    return (
      <Link to="/organization/log" search={search}>
        {text}
      </Link>
    );
  const app = application?.foreignId;
  if (app === undefined || !seesLog(permissions, app)) return text;
  return (
    <Link to="/a/$app/log" params={{ app }} search={search}>
      {text}
    </Link>
  );
}

/** Whether the entry is in the log at the index that is shown, and records the report. */
function PlaceMark({
  report,
  reading: { data, error, isPlaceholderData },
}: {
  readonly report: ReportNode;
  readonly reading: UseQueryResult<ReportEntries>;
}) {
  const { id, metadata } = report;
  const { logIndex: index, sha256, salt } = metadata;
  if (index === null) return null;
  const entry = data?.get(id);
  const shown = { id, eventType: eventTypeOf(report), sha256, salt };
  if (entry) return <EntryMark entry={entry} named={{ index, report: shown }} />;
  const why = error?.message ?? (entry === null ? NO_ENTRY.missing : NO_ENTRY.unread);
  const isRead = error !== null || (data !== undefined && !isPlaceholderData);
  return (
    <Mark
      of={words.entry(index)}
      state={isRead ? { kind: 'not checkable', because: why } : { kind: 'checking' }}
    />
  );
}

const seesLog = (held: Held, app: string) =>
  APPLICATION_PLACES.some(({ to, isShown }) => to === '/a/$app/log' && isShown(held, app));
