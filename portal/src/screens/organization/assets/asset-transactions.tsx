import { useNavigate, useSearch } from '@tanstack/react-router';
import { Select } from '../../../design/fields';
import { Listing } from '../../../design/states';
import { Table } from '../../../design/table';
import { Account, Code, None, Time } from '../../../design/values';
import { amountText, countText } from '../../../format.ts';
import { usePages } from '../../../graphql/hooks';
import { texts } from '../../../texts.ts';
import { TYPE_NAMES } from '../../cases/transaction-words';
import { assetSearch } from '../../search.ts';
import { ASSET_TRANSACTIONS, type AssetNode } from '../documents';

const words = texts(
  {
    title: 'Transactions on the ledger',
    about:
      'Oldest first. An encrypted amount is two ciphertexts, of its low and its high part: only a case or a disclosure shows it in clear. Deposits and withdrawals name their amount on the ledger.',
    none: 'No such transaction is indexed.',
    noneYet: 'No transaction is indexed yet.',
    noMint: 'No transaction yet: bind a mint first.',
    type: 'Type',
    every: 'Everything',
    amount: 'Amount',
    low: 'low',
    high: 'high',
    theLow: 'the ciphertext of the low part',
    theHigh: 'the ciphertext of the high part',
    source: 'From',
    destination: 'To',
    signature: 'Signature',
    theSignature: 'the signature',
    slot: 'Slot',
    time: 'Time',
  },
  {
    fr: {
      title: 'Transactions, telles qu’elles sont sur le registre',
      about:
        'Les plus anciennes d’abord. Un montant chiffré est deux chiffrés, de sa partie basse et de sa partie haute : seul un dossier ou une divulgation le montre en clair. Les dépôts et retraits nomment leur montant sur le registre.',
      none: 'Aucune transaction de ce genre n’est indexée.',
      noneYet: 'Aucune transaction n’est encore indexée.',
      noMint: 'Pas encore de transaction : liez d’abord un mint.',
      type: 'Type',
      every: 'Tout',
      amount: 'Montant',
      low: 'bas',
      high: 'haut',
      theLow: 'le chiffré de la partie basse',
      theHigh: 'le chiffré de la partie haute',
      source: 'De',
      destination: 'À',
      signature: 'Signature',
      theSignature: 'la signature',
      slot: 'Slot',
      time: 'Heure',
    },
  },
);

/** What the ledger shows of an asset: ciphertexts, and amounts where instructions name them. */
export function AssetTransactions({ asset }: { readonly asset: AssetNode }) {
  const { type } = useSearch({ from: '/signed-in/organization/assets/$id' });
  const navigate = useNavigate();
  const pages = usePages(
    ['transactions', asset.id],
    ASSET_TRANSACTIONS,
    { assetId: asset.id, ...(type === undefined ? {} : { type }) },
    ({ transactions }) => transactions,
  );
  return (
    <section className="stack">
      <h2>{words.title}</h2>
      <p className="soft">{words.about}</p>
      <div className="row">
        <Select
          name="type"
          label={words.type}
          value={type ?? ''}
          onChange={(chosen) =>
            void navigate({
              to: '/organization/assets/$id',
              params: { id: asset.id },
              search: assetSearch({ type: chosen }),
              replace: true,
              resetScroll: false,
            })
          }
          options={[
            { value: '', label: words.every },
            ...Object.entries(TYPE_NAMES).map(([known, label]) => ({ value: known, label })),
          ]}
        />
      </div>
      <Listing
        pages={pages}
        empty={type !== undefined ? words.none : asset.mintAddress === null ? words.noMint : words.noneYet}
      >
        {(nodes) => (
          <Table
            label={words.title}
            rows={nodes}
            keyOf={({ id }) => id}
            columns={[
              { name: words.type, cell: (node) => TYPE_NAMES[node.type] },
              {
                name: words.amount,
                cell: ({ ciphertexts: { auditor }, publicData: { amount, decimals } }) =>
                  auditor !== null ? (
                    <>
                      <span>
                        {words.low} <Code value={auditor.lo} ends={5} what={words.theLow} />
                      </span>{' '}
                      <span>
                        {words.high} <Code value={auditor.hi} ends={5} what={words.theHigh} />
                      </span>
                    </>
                  ) : amount !== null ? (
                    <span className="number">
                      {`${amountText(amount, decimals ?? asset.decimals)} ${asset.symbol}`}
                    </span>
                  ) : (
                    <None />
                  ),
              },
              { name: words.source, cell: ({ sourceAccount }) => <Account address={sourceAccount} /> },
              {
                name: words.destination,
                cell: ({ destinationAccount }) => <Account address={destinationAccount} />,
              },
              {
                name: words.signature,
                cell: ({ networkTransactionId }) => (
                  <Code value={networkTransactionId} ends={6} what={words.theSignature} />
                ),
              },
              { name: words.slot, isNumber: true, cell: ({ slot }) => countText(slot) },
              {
                name: words.time,
                cell: ({ blockTime }) => (blockTime === null ? <None /> : <Time at={blockTime * 1_000} />),
              },
            ]}
          />
        )}
      </Listing>
    </section>
  );
}
