import { useState } from 'react';
import { DayBars } from '../../design/bars';
import { Select } from '../../design/fields';
import { Card } from '../../design/states';
import { amountText, countText, roughAmountText } from '../../format.ts';
import { counted, texts } from '../../texts.ts';
import { assetText } from '../scope.ts';
import type { CaseNode, CaseRecord } from './documents';
import { CASE_TYPES, TYPE_NAMES } from './transaction-words';

const words = texts(
  {
    title: 'Charts by day',
    loaded: (count: string) => `Of the ${count} transactions that are loaded; more are below.`,
    counts: 'Transactions by day (UTC)',
    amounts: (what: string, asset: string) => `${what}: amounts by day (UTC), of ${asset}`,
    day: 'Day (UTC)',
    number: 'Transactions',
    sum: 'Sum of the shown amounts',
    what: 'Amounts of',
    left: (count: number) =>
      `${counted(count, 'amount is', 'amounts are')} not in the sums: hidden in this case, or no key opens them.`,
    noRecord: 'There is no transaction to draw.',
    none: 'No amount of these transactions is shown in this case.',
  },
  {
    fr: {
      title: 'Graphiques par jour',
      loaded: (count: string) => `Des ${count} transactions chargées ; d’autres suivent.`,
      counts: 'Transactions par jour (UTC)',
      amounts: (what: string, asset: string) => `${what} : montants par jour (UTC), de ${asset}`,
      day: 'Jour (UTC)',
      number: 'Transactions',
      sum: 'Somme des montants montrés',
      what: 'Montants de',
      left: (count: number) =>
        `${counted(count, 'montant n’est', 'montants ne sont')} pas dans les sommes : masqué dans ce dossier, ou aucune clé ne l’ouvre.`,
      noRecord: 'Il n’y a pas de transaction à dessiner.',
      none: 'Aucun montant de ces transactions n’est montré dans ce dossier.',
    },
  },
);

const dayOf = ({ blockTime }: CaseRecord) => new Date(blockTime * 1_000).toISOString().slice(0, 10);
const seriesOf = ({ type, assetId }: CaseRecord) => `${type} ${assetId}`;

/** What the flags of the case show, by day: of the records that are on the page, and of nothing else. */
export function Pictures({
  records,
  assets,
  isWhole,
}: {
  /** Those of the case. */
  readonly assets: CaseNode['assets'];
  readonly records: readonly CaseRecord[];
  readonly isWhole: boolean;
}) {
  const days = [...Map.groupBy(records, dayOf)].toSorted(([a], [b]) => a.localeCompare(b));
  // Only amounts of one kind and asset are added up.
  const series = Map.groupBy(
    records.filter(({ amount }) => amount !== null),
    seriesOf,
  );
  const [chosen, setChosen] = useState<string>();
  const key = chosen !== undefined && series.has(chosen) ? chosen : series.keys().next().value;
  const [one] = (key !== undefined && series.get(key)) || [];
  const hidden = one
    ? records.filter((record) => record.amount === null && seriesOf(record) === seriesOf(one)).length
    : 0;
  /** Symbols may be the same, too. */
  const textOf = (record: CaseRecord | undefined) =>
    (record && assetText(assets, record.assetId)) ?? record?.symbol ?? '';
  if (records.length === 0) return <Card title={words.title}>{words.noRecord}</Card>;
  return (
    <Card title={words.title}>
      {!isWhole && <p className="soft">{words.loaded(countText(records.length))}</p>}
      <DayBars
        title={words.counts}
        dayColumn={words.day}
        valueColumn={words.number}
        bars={days.map(([day, records]) => ({ day, value: records.length }))}
      />
      {one === undefined ? (
        <p>{words.none}</p>
      ) : (
        <>
          {series.size > 1 && (
            <Select
              name="series"
              label={words.what}
              value={key}
              onChange={setChosen}
              options={CASE_TYPES.flatMap((type) =>
                [...series]
                  .filter(([, [first]]) => first?.type === type)
                  .map(([value, [first]]) => ({ value, label: `${TYPE_NAMES[type]}, ${textOf(first)}` })),
              )}
            />
          )}
          <DayBars
            title={words.amounts(TYPE_NAMES[one.type], textOf(one))}
            dayColumn={words.day}
            valueColumn={words.sum}
            scaleText={(value) => `${roughAmountText(value, one.decimals)} ${one.symbol}`}
            bars={days.map(([day, records]) => {
              const sum = records
                .filter((record) => record.amount !== null && seriesOf(record) === seriesOf(one))
                .reduce((total, { amount }) => total + BigInt(amount ?? 0), 0n);
              return {
                day,
                // The height of a bar is near enough as a number; the amount in words is exact.
                value: Number(sum),
                text: `${amountText(String(sum), one.decimals)} ${one.symbol}`,
              };
            })}
          />
          {hidden > 0 && <p className="soft">{words.left(hidden)}</p>}
        </>
      )}
    </Card>
  );
}
