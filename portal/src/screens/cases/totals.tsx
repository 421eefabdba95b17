import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { holds } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Await, Card, Sentence } from '../../design/states';
import { Table } from '../../design/table';
import { amountText, countText } from '../../format.ts';
import { useRead } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { TYPE_NAMES as REPORT_TYPES } from '../reports/type-names';
import { assetText } from '../scope.ts';
import { TOTALS, type CaseNode } from './documents';
import { TYPE_NAMES } from './transaction-words';

const words = texts(
  {
    title: 'Totals of the case',
    whole: 'Of the whole case: the filters do not change them.',
    type: 'What',
    count: 'Transactions',
    amount: 'Sum of the shown amounts',
    restricted: 'Hidden',
    undecryptable: 'No key opens',
    none: 'There are no amounts to add.',
    noneShown: 'none is shown',
    tooMany: (report: string) =>
      `The case has more than 1,000 transactions, which are too many to add up here. A report “${report}” adds up all of them.`,
    reports: 'Reports of this case',
  },
  {
    fr: {
      title: 'Totaux du dossier',
      whole: 'De tout le dossier : les filtres n’y changent rien.',
      type: 'Quoi',
      count: 'Transactions',
      amount: 'Somme des montants montrés',
      restricted: 'Masqués',
      undecryptable: 'Indéchiffrables',
      none: 'Il n’y a rien à additionner.',
      noneShown: 'aucun n’est montré',
      tooMany: (report: string) =>
        `Le dossier a plus de 1 000 transactions : c’est trop pour les additionner ici. Un rapport « ${report} » les additionne toutes.`,
      reports: 'Rapports de ce dossier',
    },
  },
);

/** What the case moves. Made of all its transactions; above the gateway's limit, the way to a report. */
export function Totals({ app, item }: { readonly app: string; readonly item: CaseNode }) {
  const { id } = item;
  const viewer = useViewer();
  const reading = useRead(['case', app, id, 'totals'], TOTALS, { foreignId: app, id }, { isSecret: true });
  return (
    <Card title={words.title}>
      <Await reading={reading} lines={2}>
        {({ data, refused }) => {
          // The gateway refuses the totals as bad input only where there are too many transactions.
          if (refused[0]?.code === 'BAD_USER_INPUT')
            return (
              <>
                <p>{words.tooMany(REPORT_TYPES.transaction_summary)}</p>
                {holds(viewer.permissions, app, 'auditor', 'reports:create') && (
                  <p>
                    <Link to="/a/$app/cases/$id" params={{ app, id }} search={{ tab: 'reports' }}>
                      {words.reports}
                    </Link>
                  </p>
                )}
              </>
            );
          if (refused[0])
            return (
              <p>
                <Sentence error={refused[0]} />
              </p>
            );
          const assets = data.case.totals ?? [];
          if (assets.length === 0) return <p>{words.none}</p>;
          const tables = assets.map(({ assetId, symbol, decimals, totals }) => {
            const name = assetText(item.assets, assetId) ?? symbol;
            return (
              <Fragment key={assetId}>
                {assets.length > 1 && <h3>{name}</h3>}
                <Table
                  label={`${words.title}: ${name}`}
                  rows={totals}
                  keyOf={({ type }) => type}
                  columns={[
                    { name: words.type, cell: ({ type }) => TYPE_NAMES[type] },
                    { name: words.count, isNumber: true, cell: ({ count }) => countText(count) },
                    {
                      name: words.amount,
                      isNumber: true,
                      // Hidden is not zero.
                      cell: ({ amount, count, restricted, undecryptable }) =>
                        count === restricted + undecryptable ? (
                          <span className="soft">{words.noneShown}</span>
                        ) : (
                          `${amountText(amount, decimals)} ${symbol}`
                        ),
                    },
                    {
                      name: words.restricted,
                      isNumber: true,
                      cell: ({ restricted }) => countText(restricted),
                    },
                    {
                      name: words.undecryptable,
                      isNumber: true,
                      cell: ({ undecryptable }) => countText(undecryptable),
                    },
                  ]}
                />
              </Fragment>
            );
          });
          return (
            <>
              <p className="soft">{words.whole}</p>
              {tables}
            </>
          );
        }}
      </Await>
    </Card>
  );
}
