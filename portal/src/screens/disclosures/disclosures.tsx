import { Link, useSearch } from '@tanstack/react-router';
import { PLACE_NAMES } from '../../app/places.ts';
import { LiveRows } from '../../design/lists/live-rows';
import { Listing } from '../../design/states';
import type { EnumOf } from '../../graphql/document';
import { useLive, usePages } from '../../graphql/hooks';
import { newestOf } from '../../graphql/merged-pages';
import { counted, texts } from '../../texts.ts';
import { PageHead } from '../organization/page';
import { AssetFilter } from './asset-filter';
import { DisclosureList } from './disclosure-list';
import { DISCLOSURE_CHANGED, DISCLOSURES } from './documents';

const words = texts(
  {
    pending: 'Pending',
    decided: 'Decided',
    views: 'Which disclosures',
    empty:
      'No disclosure waits for a decision. Backends request them, and those that no policy decides wait here for a person.',
    noneOfAsset: 'No disclosure of this asset waits for a decision.',
    noneDecidedOfAsset: 'No disclosure of this asset has been decided yet.',
    nothingDecided:
      'No disclosure has been decided yet. Decided disclosures stay here, with the decider and the reason.',
    total: (count: number) =>
      counted(count, 'disclosure waits, oldest first', 'disclosures wait, oldest first'),
  },
  {
    fr: {
      pending: 'En attente',
      decided: 'Traitées',
      views: 'Quelles divulgations',
      empty:
        'Aucune divulgation n’attend une décision. Un service en demande ; ce qu’aucune règle ne tranche attend ici une personne.',
      noneOfAsset: 'Aucune divulgation de cet actif n’attend une décision.',
      noneDecidedOfAsset: 'Aucune divulgation de cet actif n’est encore traitée.',
      nothingDecided:
        'Aucune divulgation n’est encore traitée. Celles qui le sont restent ici, avec qui a décidé et pourquoi.',
      total: (count: number) =>
        counted(
          count,
          'divulgation attend, la plus ancienne d’abord',
          'divulgations attendent, les plus anciennes d’abord',
        ),
    },
  },
);

/** Disclosures of one status, of one asset or of all. */
const useDisclosures = (
  asset: string | undefined,
  chosen: { readonly status: EnumOf<'DisclosureStatus'>; readonly oldestFirst?: boolean },
  isOn: boolean,
) =>
  usePages(
    ['disclosures'],
    DISCLOSURES,
    { ...chosen, ...(asset === undefined ? {} : { assetId: asset }) },
    ({ disclosures }) => disclosures,
    { enabled: isOn },
  );

export function Disclosures() {
  const { view = 'pending', asset } = useSearch({ from: '/signed-in/disclosures' });
  const ofAsset = asset === undefined ? {} : { asset };
  const isQueue = view === 'pending';
  const none = isQueue ? [words.empty, words.noneOfAsset] : [words.nothingDecided, words.noneDecidedOfAsset];
  const pending = useDisclosures(asset, { status: 'pending', oldestFirst: true }, isQueue);
  const available = useDisclosures(asset, { status: 'available' }, !isQueue);
  const rejected = useDisclosures(asset, { status: 'rejected' }, !isQueue);
  const pages = isQueue ? pending : newestOf(available, rejected);
  useLive(DISCLOSURE_CHANGED, {}, ({ disclosureChanged }) => disclosureChanged.cursor, [['disclosures']]);
  return (
    <>
      <PageHead title={PLACE_NAMES.disclosures} />
      <nav className="tabs" aria-label={words.views}>
        <Link to="/disclosures" search={ofAsset} activeOptions={{ exact: true }}>
          {words.pending}
        </Link>
        <Link to="/disclosures" search={{ ...ofAsset, view: 'decided' }}>
          {words.decided}
        </Link>
      </nav>
      <AssetFilter asset={asset} />
      {isQueue && pages.total !== undefined && pages.total > 0 && (
        <p className="soft" role="status">
          {words.total(pages.total)}
        </p>
      )}
      <Listing pages={pages} isLive empty={none[asset === undefined ? 0 : 1]}>
        {(nodes, nothing) => (
          <LiveRows
            list={pages.isPrevious ? undefined : `${view} ${asset}`}
            nodes={nodes}
            keyOf={({ id }) => id}
            empty={nothing}
          >
            {(rows) => <DisclosureList disclosures={rows} />}
          </LiveRows>
        )}
      </Listing>
    </>
  );
}
