import { useState } from 'react';
import { Button } from '../../design/button';
import { Layer } from '../../design/dialog';
import { Listing } from '../../design/states';
import { Badge, Code, Time } from '../../design/values';
import { countText, sizeText } from '../../format.ts';
import type { Pages } from '../../graphql/hooks';
import { counted, texts } from '../../texts.ts';
import { Name } from '../names';
import type { ReportNode } from './documents';
import { ReportCheck } from './report-check';
import { TYPE_NAMES } from './type-names.ts';

const words = texts(
  {
    label: 'Reports, newest first',
    empty:
      'There is no report yet. The auditors of a case create them, and owners create reports of the log.',
    records: (count: number) => counted(count, 'record', 'records'),
    by: 'by',
    ofCase: 'Case:',
    hash: 'the SHA-256',
    place: (index: string) => `entry ${index} of the log`,
    waiting: 'waits for its place in the log',
    download: 'Download',
    deleted: 'deleted',
    logged: 'A download is logged.',
    check: 'Check a file',
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
      waiting: 'attend sa place dans le journal',
      download: 'Télécharger',
      deleted: 'supprimé',
      logged: 'Un téléchargement est journalisé.',
      check: 'Vérifier un fichier',
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
                    {report.metadata.sizeBytes !== null && ` · ${sizeText(report.metadata.sizeBytes)}`} ·{' '}
                    {report.metadata.logIndex === null
                      ? words.waiting
                      : words.place(countText(report.metadata.logIndex))}
                  </p>
                  {!isOfCase && report.metadata.caseId !== null && (
                    <p className="soft">
                      {words.ofCase} <Name id={report.metadata.caseId} app={report.application?.foreignId} />
                    </p>
                  )}
                  {report.metadata.sha256 !== null && (
                    <p className="soft">
                      SHA-256 <Code value={report.metadata.sha256} ends={10} what={words.hash} />
                    </p>
                  )}
                </div>
                <div className="row">
                  {report.metadata.fileDeleted ? (
                    <Badge>{words.deleted}</Badge>
                  ) : (
                    downloadOf &&
                    report.metadata.sha256 !== null && (
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
