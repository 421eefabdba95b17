import { useState } from 'react';
import { holds } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { FormLayer } from '../../design/dialog';
import { Fact, Facts } from '../../design/table';
import { listText } from '../../format.ts';
import { useAction, usePages } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import type { CaseNode } from '../cases/documents';
import { flagsText, HIDDEN_NAME, hiddenText, periodText, distinguished } from '../scope.ts';
import { GENERATE, REPORTS } from './documents';
import type { EnumOf } from '../../graphql/document';
import { downloadAddress } from './download';
import { MakeLogReport } from './log-report';
import { Generations, GENERATIONS_KEY } from './progress';
import { FormatChoice, formatOf, Radios, type ReportFormat } from './radios';
import { ReportList } from './report-list';

const words = texts(
  {
    make: 'Create a report…',
    title: 'Create a report',
    action: 'Create the report',
    busy: 'Starting…',
    what: 'What it holds',
    transaction_summary: 'Totals by asset and type',
    transaction_summaryHint: 'Sums and counts, without single transactions.',
    transaction_detail: 'Every transaction',
    transaction_detailHint: 'Each transaction as this case shows it, with the totals.',
    period: 'Period',
    assets: 'Assets',
    shown: 'Shown',
    auditors: 'Auditors',
    note: 'The file never changes after it is created. The log records that you created it, and its hash. You can download it while the case is open.',
  },
  {
    fr: {
      make: 'Créer un rapport…',
      title: 'Créer un rapport',
      action: 'Créer le rapport',
      busy: 'Démarrage…',
      what: 'Ce qu’il contient',
      transaction_summary: 'Totaux par actif et type',
      transaction_summaryHint: 'Sommes et nombres, sans transaction isolée.',
      transaction_detail: 'Chaque transaction',
      transaction_detailHint: 'Chaque transaction telle que ce dossier la montre, avec les totaux.',
      period: 'Période',
      assets: 'Actifs',
      shown: 'Visible',
      auditors: 'Auditeurs',
      note: 'Une fois créé, le fichier ne change plus. Le journal garde la trace de sa création et son empreinte. Vous pouvez le télécharger tant que le dossier est ouvert.',
    },
  },
);

type CaseReportType = EnumOf<'CaseReportType'>;

// What the gateway can make: a type that is left out does not compile.
const TYPES = Object.keys({
  transaction_summary: true,
  transaction_detail: true,
} satisfies Record<CaseReportType, true>) as CaseReportType[];

export function CaseReports({
  app,
  item,
  isOpen,
}: {
  readonly app: string;
  readonly item: CaseNode;
  readonly isOpen: boolean;
}) {
  const viewer = useViewer();
  const [isAsking, setAsking] = useState(false);
  const [begun, setBegun] = useState<string>();
  const pages = usePages(
    ['reports', app, item.id],
    REPORTS,
    { foreignId: app, caseId: item.id },
    ({ reports }) => reports,
  );
  const makes =
    isOpen &&
    holds(viewer.permissions, app, 'auditor', 'reports:create') &&
    item.auditors.some(({ id }) => id === viewer.user?.id);
  const action = useAction(
    (choice: { type: (typeof TYPES)[number]; format: ReportFormat }) =>
      run(GENERATE, {
        input: {
          foreignId: app,
          caseId: item.id,
          reportType: choice.type,
          format: choice.format,
          wait: false,
        },
      }),
    [GENERATIONS_KEY, ['reports']],
  );
  return (
    <section className="stack">
      {makes && (
        <div className="row">
          <Button variant="primary" onPress={() => setAsking(true)}>
            {words.make}
          </Button>
          {holds(viewer.permissions, app, 'auditor', 'reports:view_transactions') && (
            <MakeLogReport app={app} caseId={item.id} onBegun={setBegun} />
          )}
        </div>
      )}
      <Generations app={app} caseId={item.id} begun={begun} isOn={makes} />
      <ReportList pages={pages} downloadOf={downloadAddress(viewer, app)} isOfCase />
      {isAsking && (
        <FormLayer
          title={words.title}
          action={words.action}
          busy={words.busy}
          state={action}
          onClose={() => {
            setAsking(false);
            action.reset();
          }}
          onSubmit={(values) => {
            const type = TYPES.find((known) => known === values.text('type')) ?? 'transaction_summary';
            void action.run({ type, format: formatOf(values.text('format')) }, ({ generateCaseReport }) => {
              setAsking(false);
              setBegun(generateCaseReport.id);
            });
          }}
        >
          <Facts>
            <Fact name={words.period}>{periodText(item.periodFrom, item.periodTo)}</Fact>
            <Fact name={words.assets}>{listText(distinguished(item.assets).map(({ name }) => name))}</Fact>
            <Fact name={words.shown}>{flagsText(item.disclosureFlags)}</Fact>
            <Fact name={HIDDEN_NAME}>{hiddenText(item.disclosureFlags)}</Fact>
            <Fact name={words.auditors}>{listText(item.auditors.map(({ name }) => name))}</Fact>
          </Facts>
          <Radios
            name="type"
            legend={words.what}
            defaultValue="transaction_summary"
            options={TYPES.map((type) => ({ value: type, label: words[type], hint: words[`${type}Hint`] }))}
          />
          <FormatChoice defaultValue="csv" />
          <p className="soft">{words.note}</p>
        </FormLayer>
      )}
    </section>
  );
}
