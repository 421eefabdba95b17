import { useState } from 'react';
import { Button } from '../../../design/button';
import { FormLayer } from '../../../design/dialog';
import { Checkbox, Field, Select } from '../../../design/fields';
import { Await } from '../../../design/states';
import { useAction, useEvery } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { SecondPersonNote } from '../../second-person-note';
import { APPLICATION_NAMES, ASSIGN_ASSET, BIND_MINT, type AssetNode } from '../documents';
import { RetireAsset } from './retire-asset';

const words = texts(
  {
    none: 'None',
    bindAction: 'Bind a mint…',
    bindTitle: 'Bind a mint',
    mint: 'Mint address',
    bindText:
      'The gateway checks on the ledger that the mint has your auditor key. Until it does, nothing is indexed.',
    observe: 'Index it also while it has another auditor key, or none',
    binding: 'Binding…',
    assign: 'Assign to an application…',
    assignTitle: 'Assign the asset',
    assignText:
      'Its transactions belong to the application: the auditors and administrators there can request, decide and read cases of it.',
    assigning: 'Assigning…',
    bind: 'Bind the mint',
    workspace: 'Application',
  },
  {
    fr: {
      none: 'Aucune',
      bindAction: 'Lier un mint…',
      bindTitle: 'Lier un mint',
      mint: 'Adresse du mint',
      bindText:
        'La passerelle vérifie sur le registre que le mint a votre clé d’auditeur. D’ici là, rien n’est indexé.',
      observe: 'L’indexer aussi tant qu’il a une autre clé d’auditeur, ou aucune',
      binding: 'Liaison…',
      assign: 'Attribuer à une application…',
      assignTitle: 'Attribuer l’actif',
      assignText:
        'Ses transactions appartiennent à l’application : les auditeurs et administrateurs y demandent, décident et lisent des dossiers sur lui.',
      assigning: 'Attribution…',
      bind: 'Liez le mint',
      workspace: 'Application',
    },
  },
);

interface ChangeProps {
  readonly asset: AssetNode;
  readonly onClose: () => void;
}

const changedBy = (id: string) => [['asset', id], ['assets']];

/** What can be done with an asset: its mint is bound, it is given to an application, and it leaves. */
export function ChangeAsset({ asset }: { readonly asset: AssetNode }) {
  const [open, setOpen] = useState<'bind' | 'assign'>();
  const close = () => setOpen(undefined);
  return (
    <div className="row">
      {asset.mintAddress === null && (
        <Button variant="primary" onPress={() => setOpen('bind')}>
          {words.bindAction}
        </Button>
      )}
      <Button onPress={() => setOpen('assign')}>{words.assign}</Button>
      <RetireAsset asset={asset} />
      {open === 'bind' && <Bind asset={asset} onClose={close} />}
      {open === 'assign' && <Assign asset={asset} onClose={close} />}
    </div>
  );
}

function Bind({ asset, onClose }: ChangeProps) {
  const action = useAction(
    (mint: { mintAddress: string; observe: boolean }) =>
      run(BIND_MINT, { input: { assetId: asset.id, ...mint } }),
    changedBy(asset.id),
  );
  return (
    <FormLayer
      title={words.bindTitle}
      action={words.bind}
      busy={words.binding}
      state={action}
      onClose={onClose}
      onSubmit={(values) =>
        void action.run({ mintAddress: values.text('mintAddress'), observe: values.isOn('observe') }, onClose)
      }
    >
      <p>{words.bindText}</p>
      <Field name="mintAddress" label={words.mint} isRequired isMono />
      <Checkbox name="observe" label={words.observe} />
    </FormLayer>
  );
}

function Assign({ asset, onClose }: ChangeProps) {
  const reading = useEvery(['applications', 'names'], APPLICATION_NAMES, {}, (result) => result.applications);
  const now = asset.application?.foreignId ?? '';
  const [chosen, setChosen] = useState(now);
  const action = useAction(
    (foreignId: string) => run(ASSIGN_ASSET, { input: { assetId: asset.id, foreignId: foreignId || null } }),
    changedBy(asset.id),
  );
  return (
    <FormLayer
      title={words.assignTitle}
      action={words.assignTitle}
      busy={words.assigning}
      state={action}
      isReady={reading.data !== undefined && chosen !== now}
      onClose={onClose}
      onSubmit={() => void action.run(chosen, onClose)}
    >
      <p>{words.assignText}</p>
      <SecondPersonNote />
      <Await reading={reading} lines={1}>
        {(applications) => (
          <Select
            name="foreignId"
            label={words.workspace}
            value={chosen}
            onChange={setChosen}
            options={[
              { value: '', label: words.none },
              ...applications.map(({ foreignId, name }) => ({ value: foreignId, label: name })),
            ]}
          />
        )}
      </Await>
    </FormLayer>
  );
}
