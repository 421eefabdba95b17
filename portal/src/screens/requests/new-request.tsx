import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Checkbox, Choices, Field, Form } from '../../design/fields';
import { Await, Card, Notice } from '../../design/states';
import { Fact, Facts, Table } from '../../design/table';
import { None, Time } from '../../design/values';
import { listText, utcDayText } from '../../format.ts';
import { useAction, useEvery } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { capitalized, texts } from '../../texts.ts';
import { PageHead } from '../organization/page';
import { ReasonField } from '../reason-field';
import { FLAGS, type Flag } from '../flags.ts';
import {
  flagMeaning,
  flagName,
  flagsText,
  HIDDEN_NAME,
  hiddenText,
  periodText,
  distinguished,
} from '../scope.ts';
import { CANDIDATES, CASE_ASSETS, CREATE } from './documents';
import { presets } from './presets.ts';

const words = texts(
  {
    title: 'Request a case',
    filled:
      'Filled in from the case that you came from: its days, assets and auditors, the values that it shows, and those that you asked about. Change what you need, and say why.',
    why: 'Why do you need it?',
    whyHint: 'The administrator who decides reads this, and the log keeps it.',
    which: 'Which days and which assets?',
    from: 'First day (UTC)',
    to: 'Last day (UTC)',
    thisMonth: 'This month',
    last30Days: 'Last 30 days',
    lastMonth: 'Last month',
    lastQuarter: 'Last quarter',
    assets: 'Assets',
    period: 'Period',
    shown: 'Shown',
    see: 'What must be seen?',
    seeHint:
      'Every case shows days and amounts, except the amounts of withdrawals. Everything else is hidden unless you request it here.',
    example: 'How two transactions will look',
    transfer: 'Transfer',
    withdrawal: 'Withdrawal',
    what: 'What',
    time: 'Time',
    amount: 'Amount',
    sender: 'From',
    destination: 'To',
    signature: 'Signature',
    who: 'Who reads it, and for how long?',
    auditors: 'Auditors',
    days: 'Days of access after the approval',
    summary: 'What you request',
    until: 'Until, if it is approved now',
    nobody: 'Choose at least one auditor.',
    noAsset: 'Choose at least one asset.',
    file: 'File the request',
    filing: 'Filing…',
    hidden: 'hidden',
    noAssets: 'This application has no assets yet. Ask an owner to assign one.',
  },
  {
    fr: {
      title: 'Demander un dossier',
      filled:
        'Rempli d’après le dossier d’où vous venez : ses jours, actifs et auditeurs, les valeurs qu’il montre et celles dont vous avez demandé la raison. Changez ce qu’il faut, et dites pourquoi.',
      why: 'Pourquoi en avez-vous besoin ?',
      whyHint: 'L’administrateur qui décide le lit, et le journal le garde.',
      which: 'Quels jours et quels actifs ?',
      from: 'Premier jour (UTC)',
      to: 'Dernier jour (UTC)',
      thisMonth: 'Ce mois',
      last30Days: '30 derniers jours',
      lastMonth: 'Mois dernier',
      lastQuarter: 'Trimestre dernier',
      assets: 'Actifs',
      period: 'Période',
      shown: 'Visible',
      see: 'Que faut-il voir ?',
      seeHint:
        'Chaque dossier montre les jours et les montants, sauf ceux des retraits. Tout le reste est masqué si vous ne le demandez pas ici.',
      example: 'À quoi ressembleront deux transactions',
      transfer: 'Transfert',
      withdrawal: 'Retrait',
      what: 'Quoi',
      time: 'Heure',
      amount: 'Montant',
      sender: 'De',
      destination: 'À',
      signature: 'Signature',
      who: 'Qui le lit, et combien de temps ?',
      auditors: 'Auditeurs',
      days: 'Jours d’accès à compter de l’approbation',
      summary: 'Ce que vous demandez',
      until: 'Jusqu’au, si approuvé maintenant',
      nobody: 'Choisissez au moins un auditeur.',
      noAsset: 'Choisissez au moins un actif.',
      file: 'Déposer la demande',
      filing: 'Dépôt…',
      hidden: 'masqué',
      noAssets: 'Cette application n’a pas encore d’actif. Demandez à un propriétaire d’en attribuer un.',
    },
  },
);

const DAY_MS = 86_400_000;
const MAX_ACCESS_DAYS = 3_650;
const EXAMPLE_TIME = Date.UTC(2026, 10, 3, 9, 14, 7);

export function NewRequest() {
  const { app } = useParams({ from: '/signed-in/a/$app/requests/new' });
  const viewer = useViewer();
  const within = { foreignId: app };
  const reading = useEvery(['caseAssets', app], CASE_ASSETS, within, ({ caseAssets }) => caseAssets);
  const people = useEvery(
    ['auditorCandidates', app],
    CANDIDATES,
    within,
    ({ auditorCandidates }) => auditorCandidates,
  );
  return (
    <>
      <PageHead app={app} title={words.title} />
      <Await reading={reading}>
        {(assets) => (
          <Await reading={people}>
            {(candidates) =>
              assets.length === 0 ? (
                <Card>
                  <p>{words.noAssets}</p>
                </Card>
              ) : (
                <RequestForm
                  app={app}
                  assets={distinguished(assets)}
                  candidates={candidates}
                  self={viewer.user?.id}
                />
              )
            }
          </Await>
        )}
      </Await>
    </>
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}
const idsOf = (list: readonly Named[]): readonly string[] => list.map(({ id }) => id);

function RequestForm({
  app,
  assets,
  candidates,
  self,
}: {
  readonly app: string;
  readonly assets: readonly (Named & { readonly symbol: string })[];
  readonly candidates: readonly Named[];
  readonly self: string | undefined;
}) {
  const navigate = useNavigate();
  const asked = useSearch({ from: '/signed-in/a/$app/requests/new' });
  const [now] = useState(() => new Date());
  const [from, setFrom] = useState(asked.from ?? presets.last30Days(now)[0]);
  const [to, setTo] = useState(asked.to ?? presets.last30Days(now)[1]);
  const [days, setDays] = useState('7');
  const [flags, setFlags] = useState<Readonly<Record<Flag, boolean>>>({
    fullTxIds: asked.flags?.includes('fullTxIds') ?? false,
    senderInformation: asked.flags?.includes('senderInformation') ?? false,
    withdrawalDetails: asked.flags?.includes('withdrawalDetails') ?? false,
  });
  // Those of the case that it widens, as far as they can be asked for now.
  const [chosenAssets, setAssets] = useState(() =>
    idsOf(assets.filter(({ id }) => asked.assets?.includes(id) ?? true)),
  );
  const [auditors, setAuditors] = useState(() =>
    idsOf(candidates.filter(({ id }) => asked.auditors?.includes(id) ?? id === self)),
  );
  const toggled = (list: readonly string[], id: string, isOn: boolean) =>
    isOn ? [...list, id] : list.filter((other) => other !== id);
  const action = useAction(
    (reason: string) =>
      run(CREATE, {
        input: {
          foreignId: app,
          reason,
          periodFrom: from,
          periodTo: to,
          accessDays: Number(days),
          disclosureFlags: flags,
          auditorIds: [...auditors],
          assetIds: [...chosenAssets],
        },
      }),
    [['caseRequests', app], ['toDo']],
  );
  const names = (list: readonly Named[], ids: readonly string[]) =>
    listText(list.filter(({ id }) => ids.includes(id)).map(({ name }) => name));
  return (
    <Form
      problem={action.problem}
      className="columns"
      onSubmit={(values) => {
        void action.run(values.text('reason'), ({ createCaseRequest: { id } }) => {
          void navigate({ to: '/a/$app/requests/$id', params: { app, id } });
        });
      }}
    >
      <div className="stack">
        {asked.auditors !== undefined && <Notice>{words.filled}</Notice>}
        <Card>
          <ReasonField label={words.why} hint={words.whyHint} lines={3} />
        </Card>
        <Card title={words.which}>
          <div className="row">
            <Field
              name="periodFrom"
              type="date"
              label={words.from}
              isRequired
              value={from}
              onChange={setFrom}
              max={to}
            />
            <Field
              name="periodTo"
              type="date"
              label={words.to}
              isRequired
              value={to}
              onChange={setTo}
              min={from}
            />
          </div>
          <div className="row presets">
            {(['last30Days', 'thisMonth', 'lastMonth', 'lastQuarter'] as const).map((preset) => (
              <Button
                key={preset}
                onPress={() => {
                  const [first, last] = presets[preset](now);
                  setFrom(first);
                  setTo(last);
                }}
              >
                {words[preset]}
              </Button>
            ))}
          </div>
          <Choices legend={words.assets} problem={chosenAssets.length === 0 ? words.noAsset : undefined}>
            {assets.map(({ id, name, symbol }) => (
              <Checkbox
                key={id}
                name="assetIds"
                value={id}
                label={`${name} (${symbol})`}
                checked={chosenAssets.includes(id)}
                onChange={(isOn) => setAssets(toggled(chosenAssets, id, isOn))}
              />
            ))}
          </Choices>
        </Card>
        <Card title={words.see}>
          <p>{words.seeHint}</p>
          {FLAGS.map((flag) => (
            <Checkbox
              key={flag}
              name={flag}
              label={capitalized(flagName(flag))}
              hint={flagMeaning(flag)}
              checked={flags[flag]}
              onChange={(isOn) => setFlags({ ...flags, [flag]: isOn })}
            />
          ))}
          <Example flags={flags} />
        </Card>
        <Card title={words.who}>
          <Choices legend={words.auditors} problem={auditors.length === 0 ? words.nobody : undefined}>
            {candidates.map(({ id, name }) => (
              <Checkbox
                key={id}
                name="auditorIds"
                value={id}
                label={name}
                checked={auditors.includes(id)}
                onChange={(isOn) => setAuditors(toggled(auditors, id, isOn))}
              />
            ))}
          </Choices>
          <Field
            name="accessDays"
            type="number"
            label={words.days}
            isRequired
            value={days}
            onChange={setDays}
            min="1"
            max={String(MAX_ACCESS_DAYS)}
          />
        </Card>
      </div>
      <div className="stack sticky">
        <Card title={words.summary}>
          <Facts>
            <Fact name={words.auditors}>{names(candidates, auditors) || <None />}</Fact>
            <Fact name={words.assets}>{names(assets, chosenAssets) || <None />}</Fact>
            {from !== '' && to !== '' && <Fact name={words.period}>{periodText(from, to)}</Fact>}
            <Fact name={words.shown}>{flagsText(flags)}</Fact>
            <Fact name={HIDDEN_NAME}>{hiddenText(flags)}</Fact>
            <Fact name={words.until}>
              <Time at={now.getTime() + Math.min(Math.max(0, Number(days) || 0), MAX_ACCESS_DAYS) * DAY_MS} />
            </Fact>
          </Facts>
          <Button type="submit" variant="primary" busy={action.isRunning && words.filing}>
            {words.file}
          </Button>
        </Card>
      </div>
    </Form>
  );
}

const EXAMPLES = [
  { what: 'transfer', amount: '1,250.00 USDX', from: '7xKX…gAsU', to: '9QzV…e1Pd', signature: '5h6x…Kq2e' },
  { what: 'withdrawal', amount: '400.00 USDX', from: 'C2rP…4fWm', to: '3nTb…sY8k', signature: '2wLd…9aJc' },
] as const;

type Example = (typeof EXAMPLES)[number];

/** A made-up transfer and withdrawal as this case would show them, side by side: all of it fits a narrow screen. */
function Example({ flags }: { readonly flags: Readonly<Record<Flag, boolean>> }) {
  const shown = (isShown: boolean, value: string) =>
    isShown ? <code>{value}</code> : <span className="hidden-value">{words.hidden}</span>;
  const rows = [
    {
      name: words.time,
      of: () => (flags.fullTxIds ? <Time at={EXAMPLE_TIME} isExact /> : utcDayText(EXAMPLE_TIME)),
    },
    {
      name: words.amount,
      of: ({ what, amount }: Example) => shown(what === 'transfer' || flags.withdrawalDetails, amount),
    },
    { name: words.sender, of: ({ from }: Example) => shown(flags.senderInformation, from) },
    {
      name: words.destination,
      of: ({ what, to }: Example) => shown(what === 'transfer' || flags.withdrawalDetails, to),
    },
    { name: words.signature, of: ({ signature }: Example) => shown(flags.fullTxIds, signature) },
  ];
  return (
    <figure className="example">
      <figcaption className="soft">{words.example}</figcaption>
      <Table
        label={words.example}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { name: words.what, cell: ({ name }) => name },
          ...EXAMPLES.map((example) => ({
            name: words[example.what],
            cell: ({ of: textOf }: (typeof rows)[number]) => textOf(example),
          })),
        ]}
      />
    </figure>
  );
}
