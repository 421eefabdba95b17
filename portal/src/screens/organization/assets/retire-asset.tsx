import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { ReasonedChange } from '../../reasoned-change';
import { DISABLE_ASSET, UNBIND_MINT, type AssetNode } from '../documents';

const words = texts(
  {
    unbind: 'Unbind the mint…',
    unbindTitle: 'This unbinds the mint from the asset.',
    unbindText:
      'It is not followed anymore, and another mint can be bound. This is possible while none of its records is indexed, and no active case, pending request or pending disclosure covers the asset.',
    unbindAction: 'Unbind the mint',
    unbinding: 'Unbinding…',
    disable: 'Take out of use…',
    disableTitle: (name: string) => `This takes ${name} out of use, permanently.`,
    disableText: 'Its mint is not indexed anymore. Records that are indexed stay readable.',
    disableAction: 'Take it out of use',
    disabling: 'Taking it out of use…',
  },
  {
    fr: {
      unbind: 'Délier le mint…',
      unbindTitle: 'Ceci délie le mint de l’actif.',
      unbindText:
        'Il n’est plus suivi, et un autre mint peut être lié. C’est possible tant qu’aucun de ses enregistrements n’est indexé et qu’aucun dossier ouvert, aucune demande ni aucune divulgation en attente ne couvre l’actif.',
      unbindAction: 'Délier le mint',
      unbinding: 'Déliaison…',
      disable: 'Mettre hors service…',
      disableTitle: (name: string) => `Ceci met ${name} hors service, définitivement.`,
      disableText: 'Son mint n’est plus indexé. Les enregistrements indexés restent lisibles.',
      disableAction: 'Le mettre hors service',
      disabling: 'Mise hors service…',
    },
  },
);

/** A mint can be unbound until its first record. */
export const canUnbind = ({ status, mintAddress, indexerStatus }: AssetNode): boolean =>
  status !== 'disabled' && mintAddress !== null && indexerStatus.indexedCount === 0;

/** How an asset leaves: its mint is unbound before the first record, or it is disabled permanently. */
export function RetireAsset({ asset }: { readonly asset: AssetNode }) {
  if (asset.status === 'disabled') return null;
  const changed = [['asset', asset.id], ['assets']];
  return (
    <>
      {canUnbind(asset) && (
        <ReasonedChange
          open={words.unbind}
          seen={asset.id}
          title={() => words.unbindTitle}
          action={words.unbindAction}
          busy={words.unbinding}
          isDanger
          change={(assetId, { text }) => run(UNBIND_MINT, { input: { assetId, reason: text('reason') } })}
          changed={changed}
        >
          <p>{words.unbindText}</p>
        </ReasonedChange>
      )}
      <ReasonedChange
        open={words.disable}
        seen={asset.id}
        title={() => words.disableTitle(asset.name)}
        action={words.disableAction}
        busy={words.disabling}
        isDanger
        change={(assetId, { text }) => run(DISABLE_ASSET, { input: { assetId, reason: text('reason') } })}
        changed={changed}
      >
        <p>{words.disableText}</p>
      </ReasonedChange>
    </>
  );
}
