import { useEffect, useState } from 'react';
import { Button } from '../design/button';
import { FormLayer } from '../design/dialog';
import { Field } from '../design/fields';
import { graphql } from '../graphql/document';
import { useAction } from '../graphql/hooks';
import { request } from '../graphql/request';
import { texts } from '../texts.ts';
import { givenCode } from './given-code.ts';
import { provePasskey } from './passkeys';
import { answerStepUps } from './step-up';

const PROPOSE = graphql(`
  mutation ProposeStepUp {
    proposeStepUp
  }
`);
const STEP_UP = graphql(`
  mutation StepUp($input: StepUpInput!) {
    stepUp(input: $input)
  }
`);

const words = texts(
  {
    title: 'Prove your second factor',
    text: 'For this action your organization requires a second factor from the last 5 minutes. The action continues afterwards.',
    code: 'One-time code or recovery code',
    action: 'Prove it',
    busy: 'Checking…',
    passkey: 'Use a passkey',
  },
  {
    fr: {
      title: 'Confirmez avec votre second facteur',
      text: 'Votre organisation demande avant cela un second facteur de moins de 5 minutes. Ce que vous avez commencé suivra.',
      code: 'Code à usage unique ou de secours',
      action: 'Confirmer',
      busy: 'Vérification…',
      passkey: 'Utiliser une clé d’accès',
    },
  },
);

/** Opens when an action needs a fresh second factor, and runs the action again after it. */
export function StepUpLayer() {
  const [waiting, setWaiting] = useState<(isProven: boolean) => void>();
  useEffect(() => answerStepUps(() => new Promise((resolve) => setWaiting(() => resolve))), []);
  const byCode = useAction(
    (code: string) => request(STEP_UP, { input: givenCode(code) }),
    [['secondFactor']],
  );
  const byPasskey = useAction(async () => {
    const { proposeStepUp } = await request(PROPOSE, {});
    await request(STEP_UP, { input: { passkey: await provePasskey(proposeStepUp) } });
  }, [['secondFactor']]);
  if (!waiting) return null;
  const done = (isProven: boolean) => {
    waiting(isProven);
    setWaiting(undefined);
    byCode.reset();
    byPasskey.reset();
  };
  return (
    <FormLayer
      title={words.title}
      action={words.action}
      busy={words.busy}
      state={{
        isRunning: byCode.isRunning || byPasskey.isRunning,
        problem: byCode.problem ?? byPasskey.problem,
      }}
      onClose={() => done(false)}
      onSubmit={(values) => void byCode.run(values.text('code'), () => done(true))}
    >
      <p>{words.text}</p>
      <div>
        <Button
          busy={byPasskey.isRunning && words.busy}
          onPress={() => void byPasskey.run(undefined, () => done(true))}
        >
          {words.passkey}
        </Button>
      </div>
      <Field name="code" label={words.code} isRequired autoComplete="one-time-code" />
    </FormLayer>
  );
}
