import { useNavigate } from '@tanstack/react-router';
import type { VariablesOf } from 'gql.tada';
import { useState } from 'react';
import { Button } from '../../../design/button';
import { FormLayer } from '../../../design/dialog';
import { Checkbox, Field } from '../../../design/fields';
import { useAction } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { PolicyChoice, usePoliciesAreRead } from './asset-policy';
import { CREATE_ASSET } from '../documents';

const words = texts(
  {
    register: 'Register an asset…',
    registerTitle: 'Register an asset',
    action: 'Register the asset',
    busy: 'Registering…',
    burn: 'The mint will support confidential mint and burn',
    name: 'Name',
    symbol: 'Symbol',
    decimals: 'Decimals',
    decimalsHint: 'As on the mint. They cannot be changed later.',
    burnHint:
      'As on the mint: then the amounts that are issued and destroyed are encrypted, too. It cannot be changed later.',
  },
  {
    fr: {
      register: 'Enregistrer un actif…',
      registerTitle: 'Enregistrer un actif',
      action: 'Enregistrer l’actif',
      busy: 'Enregistrement…',
      burn: 'Le mint permettra l’émission et la destruction confidentielles',
      name: 'Nom',
      symbol: 'Symbole',
      decimals: 'Décimales',
      decimalsHint: 'Comme sur le mint. Elles ne peuvent pas être changées ensuite.',
      burnHint:
        'Comme sur le mint : les montants émis et détruits sont alors chiffrés, eux aussi. Ce choix ne peut pas être changé ensuite.',
    },
  },
);

export function RegisterAsset() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onPress={() => setOpen(true)}>
        {words.register}
      </Button>
      {isOpen && <Register onClose={() => setOpen(false)} />}
    </>
  );
}

function Register({ onClose }: { readonly onClose: () => void }) {
  // The idempotency key of this form: sending it twice registers one asset, and another form another one.
  const [key] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  const isReady = usePoliciesAreRead();
  const action = useAction(
    (input: VariablesOf<typeof CREATE_ASSET>['input']) =>
      run(CREATE_ASSET, { input: { ...input, idempotencyKey: key } }),
    [['assets'], ['auditorKeys']],
  );
  return (
    <FormLayer
      title={words.registerTitle}
      action={words.action}
      busy={words.busy}
      state={action}
      // The choice cannot be changed later: nobody registers an asset before it can be made.
      isReady={isReady}
      onClose={onClose}
      onSubmit={(values) => {
        const disclosurePolicyId = values.text('disclosurePolicyId');
        void action.run(
          {
            name: values.text('name'),
            symbol: values.text('symbol'),
            decimals: Number(values.text('decimals')),
            confidentialMintBurnEnabled: values.isOn('confidentialMintBurnEnabled'),
            ...(disclosurePolicyId === '' ? {} : { disclosurePolicyId }),
          },
          ({ createAsset: { id } }) => void navigate({ to: '/organization/assets/$id', params: { id } }),
        );
      }}
    >
      <Field name="name" label={words.name} isRequired maxLength={128} />
      <Field name="symbol" label={words.symbol} isRequired maxLength={16} />
      <Field
        name="decimals"
        type="number"
        label={words.decimals}
        hint={words.decimalsHint}
        isRequired
        min="0"
        max="255"
        defaultValue="6"
      />
      <Checkbox name="confidentialMintBurnEnabled" label={words.burn} hint={words.burnHint} />
      <PolicyChoice name="disclosurePolicyId" />
    </FormLayer>
  );
}
