import { useState } from 'react';
import { Button } from '../../design/button';
import { Confirm } from '../../design/dialog';
import { useAction } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { ReasonField } from '../reason-field';
import { DISABLE_ASSET, UNBIND_MINT, type AssetNode } from './documents';

const words = texts(
  {
    unbind: 'Unbind the mint…',
    unbindTitle: 'This takes the mint off the asset.',
    unbindText:
      'It is not followed anymore, and another mint can be bound. This is possible while none of its records is indexed.',
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
      unbindTitle: 'Ceci retire le mint de l’actif.',
      unbindText:
        'Il n’est plus suivi, et un autre mint peut être lié. C’est possible tant qu’aucun de ses enregistrements n’est indexé.',
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

/** How an asset leaves: its mint is unbound before the first record, or it is disabled permanently. */
export function RetireAsset({ asset }: { readonly asset: AssetNode }) {
  const [open, setOpen] = useState<'unbind' | 'disable'>();
  const changed = [['asset', asset.id], ['assets']];
  const unbind = useAction(
    (reason: string) => run(UNBIND_MINT, { input: { assetId: asset.id, reason } }),
    changed,
  );
  const disable = useAction(
    (reason: string) => run(DISABLE_ASSET, { input: { assetId: asset.id, reason } }),
    changed,
  );
  if (asset.status === 'disabled') return null;
  const action = open === 'unbind' ? unbind : disable;
  const close = () => {
    setOpen(undefined);
    action.reset();
  };
  const canUnbind = asset.mintAddress !== null && asset.indexerStatus.indexedCount === 0;
  return (
    <>
      {canUnbind && <Button onPress={() => setOpen('unbind')}>{words.unbind}</Button>}
      <Button onPress={() => setOpen('disable')}>{words.disable}</Button>
      {open !== undefined && (
        <Confirm
          title={open === 'unbind' ? words.unbindTitle : words.disableTitle(asset.name)}
          action={words[`${open}Action`]}
          busy={open === 'unbind' ? words.unbinding : words.disabling}
          isDanger
          isRunning={action.isRunning}
          problem={action.problem}
          onClose={close}
          onConfirm={(values) => void action.run(values.text('reason'), close)}
        >
          <p>{words[`${open}Text`]}</p>
          <ReasonField />
        </Confirm>
      )}
    </>
  );
}
