import { useNavigate } from '@tanstack/react-router';
import { Select } from '../../design/fields';
import { errorOf } from '../../graphql/gateway-error';
import { useEvery } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { distinguished } from '../scope.ts';
import { DISCLOSED_ASSETS } from './documents';

const words = texts(
  {
    asset: 'Asset',
    everyAsset: 'Every asset',
    unread: (why: string) => `The list cannot be filtered by asset. ${why}`,
  },
  {
    fr: {
      asset: 'Actif',
      everyAsset: 'Tous les actifs',
      unread: (why: string) => `La liste ne peut être filtrée par actif. ${why}`,
    },
  },
);

/** Filters the listing by asset. It is shown once there is a choice. */
export function AssetFilter({ asset }: { readonly asset: string | undefined }) {
  const navigate = useNavigate({ from: '/disclosures' });
  const { data, error } = useEvery(
    ['disclosedAssets'],
    DISCLOSED_ASSETS,
    {},
    ({ disclosures }) => disclosures,
  );
  const assets = new Map(data?.map((node) => [node.asset.id, node.asset]));
  // The list itself says so.
  if (error && errorOf(error).code === 'FORBIDDEN') return null;
  if (error) return <p className="soft">{words.unread(error.message)}</p>;
  if (asset === undefined && assets.size < 2) return null;
  return (
    <div className="row">
      <Select
        name="asset"
        label={words.asset}
        value={asset ?? ''}
        onChange={(chosen) =>
          void navigate({
            search: ({ view }) => ({ ...(view && { view }), ...(chosen && { asset: chosen }) }),
          })
        }
        options={[
          { value: '', label: words.everyAsset },
          ...(asset === undefined || assets.has(asset) ? [] : [{ value: asset, label: asset }]),
          ...distinguished([...assets.values()]).map(({ id, name, symbol }) => ({
            value: id,
            label: `${name} (${symbol})`,
          })),
        ]}
      />
    </div>
  );
}
