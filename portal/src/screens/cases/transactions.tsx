import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { Button } from '../../design/button';
import { Select } from '../../design/fields';
import { Failure, Notice } from '../../design/states';
import { Copy } from '../../design/values';
import { VirtualGrid } from '../../design/lists/virtual-grid';
import { countText, listText } from '../../format.ts';
import { usePages } from '../../graphql/hooks';
import { counted, texts } from '../../texts.ts';
import { Findings } from '../../verification/marks';
import { flagName, distinguished } from '../scope.ts';
import { caseSearch } from '../search.ts';
import { DayFilter } from './day-filter';
import { RECORDS, type CaseNode } from './documents';
import { Explanation } from './explanation';
import { filtersOf } from './follow-case.ts';
import { NewTransactions } from './new-transactions';
import { Pictures } from './pictures';
import { useProofs } from './proofs';
import { Totals } from './totals';
import {
  type Asked,
  columnName,
  COLUMNS,
  columnsFor,
  doubledCiphertexts,
  Explain,
  repeatedIds,
} from './transaction-cells';
import { CASE_TYPES, TYPE_NAMES } from './transaction-words';

const words = texts(
  {
    title: 'Transactions',
    logged: 'Reading is logged: the activity log records that you read this case.',
    decrypting: 'Decrypting…',
    loaded: (count: string, total: string) => `${count} of ${total} loaded, more below`,
    all: (count: string) => `${count}, all of them`,
    none: 'none',
    some: (count: string, total: string) => `${count} of ${total}`,
    missing: (count: string, total: string) =>
      `The gateway counts ${total} transactions, but returned ${count}. If this is the same when you load the page again, rows are missing.`,
    surplus: (count: string, total: string) =>
      `The gateway counts ${total} transactions, but returned ${count}. If this is the same when you load the page again, it returned rows that it does not count.`,
    repeated: (count: number) =>
      `The gateway returned ${counted(count, 'transaction', 'transactions')} more than once: too many rows are shown, and their sums are too high.`,
    type: 'Type',
    every: 'All types',
    label: 'Transactions of the case',
    hiddenColumns: (names: string) => `Hidden in this case: ${names}.`,
    why: 'Why?',
    emptyText: 'No transaction in the period of this case matches the filters.',
    asset: 'Asset',
    everyAsset: 'All assets',
    from: 'From day (UTC)',
    to: 'To day (UTC)',
    whole: 'All days',
    proof: 'What was checked of the amount',
    notProven: (flag: string) =>
      `Amounts cannot be checked in this case: a proof names its transaction, which needs ${flag}. You have only the gateway’s word for them.`,
    totals: 'Totals',
    pictures: 'Charts by day',
  },
  {
    fr: {
      title: 'Transactions',
      logged: 'La lecture est journalisée : le journal indique que vous avez consulté ce dossier.',
      decrypting: 'Déchiffrement…',
      loaded: (count: string, total: string) => `${count} sur ${total} chargées, d’autres suivent`,
      all: (count: string) => `${count}, toutes`,
      none: 'aucune',
      some: (count: string, total: string) => `${count} sur ${total}`,
      missing: (count: string, total: string) =>
        `La passerelle compte ${total} transactions et en a donné ${count}. Si c’est encore le cas après un rechargement, il manque des lignes.`,
      surplus: (count: string, total: string) =>
        `La passerelle compte ${total} transactions et en a donné ${count}. Si c’est encore le cas après un rechargement, elle a donné des lignes qu’elle ne compte pas.`,
      repeated: (count: number) =>
        `La passerelle a donné ${counted(count, 'transaction', 'transactions')} plus d’une fois : ce qui est affiché, et chaque somme de cela, est de trop.`,
      type: 'Type',
      every: 'Tous les types',
      label: 'Transactions du dossier',
      hiddenColumns: (names: string) => `Masqué dans ce dossier : ${names}.`,
      why: 'Pourquoi ?',
      emptyText: 'Aucune transaction de la période de ce dossier ne correspond aux filtres.',
      asset: 'Actif',
      everyAsset: 'Tous les actifs',
      from: 'Du jour (UTC)',
      to: 'Au jour (UTC)',
      whole: 'Tous les jours',
      proof: 'Ce qui a été vérifié du montant',
      notProven: (flag: string) =>
        `Les montants ne sont pas vérifiables dans ce dossier : une preuve nomme sa transaction, ce qui demande : ${flag}. Ils reposent sur la parole de la passerelle.`,
      totals: 'Totaux',
      pictures: 'Graphiques par jour',
    },
  },
);

const PAGE_SIZE = 200;

export function Transactions({
  app,
  item,
  count: countNow,
}: {
  readonly app: string;
  readonly item: CaseNode;
  /** How many there are by now with the filters, if that is known. */
  readonly count: number | undefined;
}) {
  const search = useSearch({ from: '/signed-in/a/$app/cases/$id' });
  const { type, from, to } = search;
  const filters = filtersOf(item, search);
  const asset = filters.assetId;
  const navigate = useNavigate();
  /** Back, a reload and a link find the filters as they are. */
  const choose = (chosen: Readonly<Record<string, string>>) =>
    void navigate({
      to: '/a/$app/cases/$id',
      params: { app, id: item.id },
      search: caseSearch({ ...search, ...chosen }),
      replace: true,
      resetScroll: false,
    });
  const [asked, setAsked] = useState<Asked>();
  const [shows, setShows] = useState<'totals' | 'pictures'>();
  const target = useRef<Element>(null);
  const pages = usePages(
    ['case', app, item.id, 'records'],
    RECORDS,
    {
      foreignId: app,
      id: item.id,
      first: PAGE_SIZE,
      ...filters,
    },
    (result) => result.case.transactions,
    { isSecret: true },
  );
  const explain = useCallback(
    (element: Element, about: Asked) => {
      target.current = element;
      setAsked(about);
    },
    [setAsked],
  );
  const { nodes } = pages;
  const [count, total] = [countText(nodes.length), countText(pages.total ?? nodes.length)];
  // The gateway counts after it reads, so that one that came in between can be the difference.
  const isMissing = !pages.hasMore && nodes.length < (pages.total ?? 0);
  const isSurplus = nodes.length > (pages.total ?? nodes.length);
  const repeated = useMemo(() => repeatedIds(nodes), [nodes]);
  const hasIds = item.disclosureFlags.fullTxIds;
  const { proofs, readAgain: readProofsAgain } = useProofs({ app, id: item.id, isOn: hasIds }, nodes);
  // A column that the flags hide in every row is not drawn: a line above says so.
  const hidden = useMemo(
    () =>
      COLUMNS.map(([member]) => member).filter(
        (member) =>
          nodes.length > 0 &&
          nodes.every((node) => node[member] === null && node.restricted.includes(member)),
      ),
    [nodes],
  );
  const columns = useMemo(
    () =>
      columnsFor(hidden, hasIds, proofs, { ciphertexts: doubledCiphertexts(nodes, proofs), ids: repeated }),
    [hidden, hasIds, nodes, proofs, repeated],
  );
  return (
    <Explain value={explain}>
      <section className="stack" aria-labelledby="records-title">
        <div className="row between">
          <h2 id="records-title">{words.title}</h2>
          <p className="soft" role="status">
            {pages.error
              ? ''
              : pages.isPending
                ? words.decrypting
                : pages.hasMore
                  ? words.loaded(count, total)
                  : isMissing || isSurplus
                    ? words.some(count, total)
                    : total === '0'
                      ? words.none
                      : words.all(count)}
          </p>
        </div>
        <p className="soft">{words.logged}</p>
        <div className="row end-aligned">
          <Select
            name="type"
            label={words.type}
            value={type ?? ''}
            onChange={(chosen) => choose({ type: chosen })}
            options={[
              { value: '', label: words.every },
              ...CASE_TYPES.map((known) => ({ value: known, label: TYPE_NAMES[known] })),
            ]}
          />
          {(item.assets.length > 1 || asset !== undefined) && (
            <Select
              name="assetId"
              label={words.asset}
              value={asset ?? ''}
              onChange={(chosen) => choose({ asset: chosen })}
              options={[
                { value: '', label: words.everyAsset },
                ...(asset === undefined || item.assets.some(({ id }) => id === asset)
                  ? []
                  : [{ value: asset, label: asset }]),
                ...distinguished(item.assets).map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          )}
          <DayFilter
            name="from"
            label={words.from}
            value={from ?? ''}
            onChange={(chosen) => choose({ from: chosen })}
            min={item.periodFrom}
            max={to ?? item.periodTo}
          />
          <DayFilter
            name="to"
            label={words.to}
            value={to ?? ''}
            onChange={(chosen) => choose({ to: chosen })}
            min={from ?? item.periodFrom}
            max={item.periodTo}
          />
          {(from !== undefined || to !== undefined) && (
            <Button onPress={() => choose({ from: '', to: '' })}>{words.whole}</Button>
          )}
          {(['totals', 'pictures'] as const).map((part) => (
            <Button
              key={part}
              isExpanded={shows === part}
              onPress={() => setShows(shows === part ? undefined : part)}
            >
              {words[part]}
            </Button>
          ))}
        </div>
        <NewTransactions
          key={JSON.stringify(filters)}
          total={countNow}
          listed={pages.total}
          onShow={pages.readAgain}
        />
        {shows === 'totals' && <Totals app={app} item={item} />}
        {shows === 'pictures' && (
          <Pictures
            records={nodes}
            assets={item.assets}
            isWhole={!pages.hasMore && !isMissing && !isSurplus && repeated.size === 0}
          />
        )}
        {pages.error ? (
          <Failure error={pages.error} onAgain={pages.readAgain} />
        ) : (
          <>
            {isMissing && (
              <Notice tone="warn" isLive>
                {words.missing(count, total)}
              </Notice>
            )}
            {isSurplus && (
              <Notice tone="bad" isLive>
                {words.surplus(count, total)}
              </Notice>
            )}
            {repeated.size > 0 && (
              <Notice tone="bad" isLive>
                {words.repeated(repeated.size)}
              </Notice>
            )}
            {!hasIds && <Notice>{words.notProven(flagName('fullTxIds'))}</Notice>}
            {hidden.length > 0 && (
              <p className="notice">
                {words.hiddenColumns(listText(hidden.map(columnName)))}{' '}
                <button
                  type="button"
                  className="link"
                  aria-haspopup="dialog"
                  onClick={({ currentTarget }) =>
                    explain(currentTarget, { about: 'hidden', members: hidden, type: nodes[0]!.type })
                  }
                >
                  {words.why}
                </button>
              </p>
            )}
            {proofs.error && <Failure error={proofs.error} onAgain={readProofsAgain} />}
            {pages.moreError && <Failure error={pages.moreError} onAgain={pages.readMore} />}
            {!pages.isPending && nodes.length === 0 ? (
              <p className="card">{words.emptyText}</p>
            ) : (
              <VirtualGrid
                label={words.label}
                columns={columns}
                rows={nodes}
                hasMore={pages.hasMore}
                onMore={pages.readMore}
                isLoading={pages.isPending || pages.isReadingMore || pages.moreError !== undefined}
              />
            )}
          </>
        )}
        <Popover
          triggerRef={target}
          isOpen={asked !== undefined}
          onOpenChange={(isOpen) => !isOpen && setAsked(undefined)}
          className="popover"
        >
          {asked?.about === 'hidden' && <Explanation {...asked} app={app} item={item} />}
          {asked?.about === 'value' && (
            <Dialog className="stack" aria-label={columnName(asked.member)}>
              <p>
                <code className="wrap">{asked.value}</code>
              </p>
              <div>
                <Copy value={asked.value} what={columnName(asked.member)} />
              </div>
            </Dialog>
          )}
          {asked?.about === 'proof' && (
            <Dialog className="stack" aria-label={words.proof}>
              <Findings state={asked.state} file={asked.file} />
            </Dialog>
          )}
        </Popover>
      </section>
    </Explain>
  );
}
