import { useId, useState } from 'react';
import { holds } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { FormLayer } from '../../design/dialog';
import type { Option } from '../../design/fields';
import { Fact, Facts } from '../../design/table';
import { listText } from '../../format.ts';
import { useAction, usePages } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import type { CaseNode } from '../cases/documents';
import { flagsText, periodText } from '../scope.ts';
import { GENERATE, REPORTS } from './documents';
import type { EnumOf } from '../../graphql/document';
import { downloadAddress } from './download';
import { Generations, GENERATIONS_KEY } from './progress';
import { ReportList } from './report-list';

const words = texts(
  {
    make: 'Make a report…',
    title: 'Make a report',
    action: 'Make the report',
    busy: 'Starting…',
    what: 'What it holds',
    transaction_summary: 'Totals by asset and type',
    transaction_summaryHint: 'Sums and counts, without single transactions.',
    transaction_detail: 'Every transaction',
    transaction_detailHint: 'Each transaction as this case shows it, with the totals.',
    format: 'Format',
    csv: 'CSV',
    json: 'JSON',
    pdf: 'PDF',
    period: 'Period',
    shown: 'Shown',
    auditors: 'Auditors',
    note: 'The file never changes after it is made. The log keeps that you made it, and its hash.',
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
      format: 'Format',
      csv: 'CSV',
      json: 'JSON',
      pdf: 'PDF',
      period: 'Période',
      shown: 'Visible',
      auditors: 'Auditeurs',
      note: 'Une fois créé, le fichier ne change plus. Le journal garde la trace de sa création et son empreinte.',
    },
  },
);

type CaseReportType = EnumOf<'CaseReportType'>;
type ReportFormat = EnumOf<'ReportFormat'>;

// What the gateway can make: a type or a format that is left out does not compile.
const TYPES = Object.keys({
  transaction_summary: true,
  transaction_detail: true,
} satisfies Record<CaseReportType, true>) as CaseReportType[];
const FORMATS = Object.keys({ csv: true, json: true, pdf: true } satisfies Record<
  ReportFormat,
  true
>) as ReportFormat[];

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
    (choice: { type: (typeof TYPES)[number]; format: (typeof FORMATS)[number] }) =>
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
        <div>
          <Button variant="primary" onPress={() => setAsking(true)}>
            {words.make}
          </Button>
        </div>
      )}
      <Generations app={app} caseId={item.id} begun={begun} isOn={makes} />
      <ReportList pages={pages} downloadOf={downloadAddress(viewer, app)} />
      {isAsking && (
        <FormLayer
          title={words.title}
          action={words.action}
          busy={words.busy}
          isRunning={action.isRunning}
          problem={action.problem}
          onClose={() => setAsking(false)}
          onSubmit={(values) => {
            const type = TYPES.find((known) => known === values.text('type')) ?? 'transaction_summary';
            const format = FORMATS.find((known) => known === values.text('format')) ?? 'csv';
            void action.run({ type, format }, ({ generateCaseReport }) => {
              setAsking(false);
              setBegun(generateCaseReport.id);
            });
          }}
        >
          <Facts>
            <Fact name={words.period}>{periodText(item.periodFrom, item.periodTo)}</Fact>
            <Fact name={words.shown}>{flagsText(item.disclosureFlags)}</Fact>
            <Fact name={words.auditors}>{listText(item.auditors.map(({ name }) => name))}</Fact>
          </Facts>
          <Radios
            name="type"
            legend={words.what}
            defaultValue="transaction_summary"
            options={TYPES.map((type) => ({ value: type, label: words[type], hint: words[`${type}Hint`] }))}
          />
          <Radios
            name="format"
            legend={words.format}
            defaultValue="csv"
            options={FORMATS.map((format) => ({ value: format, label: words[format] }))}
          />
          <p className="soft">{words.note}</p>
        </FormLayer>
      )}
    </section>
  );
}

/** A choice among options that need a sentence each. */
function Radios({
  name,
  legend,
  options,
  defaultValue,
  onChange,
}: {
  readonly name: string;
  readonly legend: string;
  readonly options: readonly Option[];
  readonly defaultValue?: string;
  readonly onChange?: (value: string) => void;
}) {
  const id = useId();
  return (
    <fieldset className="fieldset">
      <legend>{legend}</legend>
      {options.map(({ value, label, hint }, index) => (
        <div className="check" key={value}>
          <input
            type="radio"
            id={`${id}-${index}`}
            name={name}
            value={value}
            defaultChecked={value === defaultValue}
            onChange={() => onChange?.(value)}
            aria-describedby={hint === undefined ? undefined : `${id}-${index}-hint`}
          />
          <span>
            <label htmlFor={`${id}-${index}`}>{label}</label>
            {hint !== undefined && (
              <span id={`${id}-${index}-hint`} className="soft block">
                {hint}
              </span>
            )}
          </span>
        </div>
      ))}
    </fieldset>
  );
}
