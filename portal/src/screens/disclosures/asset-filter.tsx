import { useNavigate } from '@tanstack/react-router';
import { Select } from '../../design/fields';
import { useRead } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { DISCLOSED_ASSETS } from './documents';

const words = texts(
  { asset: 'Asset', everyAsset: 'Every asset' },
  { fr: { asset: 'Actif', everyAsset: 'Tous les actifs' } },
);

/** Narrows the listing to one asset. It is there once there is something to choose. */
export function AssetFilter({ asset }: { readonly asset: string | undefined }) {
  const navigate = useNavigate({ from: '/disclosures' });
  const { data } = useRead(['disclosures', 'assets'], DISCLOSED_ASSETS, {});
  const assets = new Map(data?.data.disclosures?.nodes.map((node) => [node.asset.id, node.asset]));
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
          ...[...assets.values()].map(({ id, name, symbol }) => ({
            value: id,
            label: `${name} (${symbol})`,
          })),
        ]}
      />
    </div>
  );
}
