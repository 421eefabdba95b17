import { Notice } from '../../../design/states';
import { Badge, None } from '../../../design/values';
import { listText } from '../../../format.ts';
import { texts } from '../../../texts.ts';
import type { AssetNode } from '../documents';

const words = texts(
  {
    current: 'the current one',
    earlier: (epoch: number) => `your key ${epoch}: to update`,
    other: 'none of yours',
    outdated: (mints: string) =>
      `An earlier key is still on the mint of ${mints}. The authority of each mint sets the current key. Until then, the amounts are encrypted to the earlier one.`,
  },
  {
    fr: {
      current: 'l’actuelle',
      earlier: (epoch: number) => `votre clé ${epoch} : à mettre à jour`,
      other: 'aucune des vôtres',
      outdated: (mints: string) =>
        `Une clé antérieure est encore sur le mint de ${mints}. L’autorité de chaque mint y met la clé actuelle. D’ici là, les montants sont chiffrés pour la clé antérieure.`,
    },
  },
);

/** Whether the mint of an asset has a key of the organization that is not the current one. */
export const hasEarlierKey = ({ mintAuditorKey, auditorElGamalPubkey }: AssetNode): boolean =>
  mintAuditorKey !== null &&
  mintAuditorKey.epoch !== null &&
  mintAuditorKey.auditorElGamalPubkey !== auditorElGamalPubkey;

/** The auditor key that the mint of an asset has, as far as it is indexed. */
export function MintKey({ asset }: { readonly asset: AssetNode }) {
  const key = asset.mintAuditorKey;
  if (key === null) return <None />;
  if (key.epoch === null) return <Badge tone="bad">{words.other}</Badge>;
  return hasEarlierKey(asset) ? (
    <Badge tone="warn">{words.earlier(key.epoch)}</Badge>
  ) : (
    <Badge tone="good">{words.current}</Badge>
  );
}

/** Which mints are left to update after a rotation, of the assets that are in use. */
export function EarlierKeys({ assets }: { readonly assets: readonly AssetNode[] }) {
  const outdated = assets.filter((asset) => asset.status !== 'disabled' && hasEarlierKey(asset));
  if (outdated.length === 0) return null;
  return (
    <Notice tone="warn">
      <p>{words.outdated(listText(outdated.map(({ name, symbol }) => `${name} (${symbol})`)))}</p>
    </Notice>
  );
}
