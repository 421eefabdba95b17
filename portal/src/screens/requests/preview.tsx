import { Await, Card, Sentence } from '../../design/states';
import { Fact, Table } from '../../design/table';
import { countText, dayText } from '../../format.ts';
import { useRead } from '../../graphql/hooks';
import { counted, texts } from '../../texts.ts';
import { TYPE_NAMES } from '../cases/transaction-words';
import { distinguished } from '../scope.ts';
import type { Grant } from './grant';
import { PREVIEW, type RequestNode } from './documents';

const words = texts(
  {
    preview: 'What it covers now',
    previewHint: 'Numbers as of now, without amounts. More can follow while the period is open.',
    noneCovered: 'No transaction is in this period yet.',
    transactions: (count: number) => counted(count, 'transaction', 'transactions'),
    between: (from: string, to: string) => (from === to ? `on ${from} UTC` : `between ${from} and ${to} UTC`),
    byType: 'By type',
    byAsset: 'By asset',
    what: 'What',
    asset: 'Asset',
    number: 'Transactions',
    now: (count: string) => `${count} as of now`,
    atMost: (count: string) => `at most ${count} as of now`,
  },
  {
    fr: {
      preview: 'Ce qu’elle couvre maintenant',
      previewHint: 'Nombres actuels, sans montants. D’autres peuvent suivre tant que la période dure.',
      noneCovered: 'Aucune transaction n’est dans cette période pour l’instant.',
      transactions: (count: number) => counted(count, 'transaction', 'transactions'),
      between: (from: string, to: string) =>
        from === to ? `le ${from} UTC` : `entre le ${from} et le ${to} UTC`,
      byType: 'Par type',
      byAsset: 'Par actif',
      what: 'Quoi',
      asset: 'Actif',
      number: 'Transactions',
      now: (count: string) => `${count} à cet instant`,
      atMost: (count: string) => `au plus ${count} à cet instant`,
    },
  },
);

/**
 * How many transactions a grant would show. Of fewer assets the number is known, of fewer days only that there are not
 * more.
 */
export function GrantedNumber({
  app,
  request,
  grant,
}: {
  readonly app: string;
  readonly request: RequestNode;
  readonly grant: Grant;
}) {
  const reading = useRead(['caseRequest', app, request.id, 'preview'], PREVIEW, {
    foreignId: app,
    id: request.id,
  });
  return (
    <Fact name={words.number}>
      <Await reading={reading} lines={1}>
        {({ data: { caseRequest }, refused }) => {
          if (!caseRequest.preview) return refused[0] && <Sentence error={refused[0]} />;
          const count = caseRequest.preview.byAsset
            .filter(({ assetId }) => grant.assetIds.includes(assetId))
            .reduce((sum, total) => sum + total.count, 0);
          const isWhole = grant.periodFrom === request.periodFrom && grant.periodTo === request.periodTo;
          return (isWhole ? words.now : words.atMost)(words.transactions(count));
        }}
      </Await>
    </Fact>
  );
}

/** How many transactions an approval would show, before it is given. */
export function Preview({
  app,
  request: { id, assets },
}: {
  readonly app: string;
  readonly request: RequestNode;
}) {
  const reading = useRead(['caseRequest', app, id, 'preview'], PREVIEW, { foreignId: app, id });
  return (
    <Card title={words.preview}>
      <Await reading={reading} lines={2}>
        {({ data: { caseRequest }, refused }) => {
          const { preview } = caseRequest;
          if (!preview) return <p>{refused[0] && <Sentence error={refused[0]} />}</p>;
          const { transactions, earliest, latest, byType, byAsset } = preview;
          if (transactions === 0) return <p>{words.noneCovered}</p>;
          return (
            <>
              <p>
                {words.transactions(transactions)}
                {earliest !== null &&
                  latest !== null &&
                  `, ${words.between(dayText(earliest * 1_000), dayText(latest * 1_000))}`}
                . <span className="soft">{words.previewHint}</span>
              </p>
              <Table
                label={words.byType}
                rows={byType}
                keyOf={({ type }) => type}
                columns={[
                  { name: words.what, cell: ({ type }) => TYPE_NAMES[type] },
                  { name: words.number, isNumber: true, cell: ({ count }) => countText(count) },
                ]}
              />
              {byAsset.length > 1 && (
                <Table
                  label={words.byAsset}
                  rows={byAsset}
                  keyOf={({ assetId }) => assetId}
                  columns={[
                    {
                      name: words.asset,
                      cell: ({ assetId }) =>
                        distinguished(assets).find((asset) => asset.id === assetId)?.name ?? assetId,
                    },
                    { name: words.number, isNumber: true, cell: ({ count }) => countText(count) },
                  ]}
                />
              )}
            </>
          );
        }}
      </Await>
    </Card>
  );
}
