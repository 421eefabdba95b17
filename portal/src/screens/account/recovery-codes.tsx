import { useState } from 'react';
import { Button } from '../../design/button';
import { Confirm, Layer } from '../../design/dialog';
import { Problem } from '../../design/states';
import { Copy } from '../../design/values';
import { graphql } from '../../graphql/document';
import { useAction } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { counted, texts } from '../../texts.ts';

const RECOVERY_CODES = graphql(`
  mutation CreateRecoveryCodes {
    createRecoveryCodes
  }
`);

const words = texts(
  {
    codes: 'Recovery codes',
    left: (count: number) => `${counted(count, 'code', 'codes')} left. Each replaces a second factor once.`,
    noCodes: 'You have none. Without them and without your device, only an owner can let you in again.',
    noFactor: 'They replace a second factor: add a passkey or turn on one-time codes first.',
    make: 'Create ten new codes',
    replace: 'Create ten new codes…',
    replaceTitle: 'This replaces your recovery codes.',
    replaceText: (count: number) =>
      `${counted(count, 'code that you have does', 'codes that you have do')} not work anymore.`,
    making: 'Creating…',
    codesTitle: 'Store these codes now',
    codesText: 'They are shown this once. Earlier codes no longer work.',
    stored: 'I have stored them',
    theCodes: 'the codes',
  },
  {
    fr: {
      codes: 'Codes de secours',
      left: (count: number) =>
        `Il reste ${counted(count, 'code', 'codes')}. Chacun remplace une fois un second facteur.`,
      noCodes:
        'Vous n’en avez pas. Sans eux et sans votre appareil, seul un propriétaire peut vous rendre l’accès.',
      noFactor:
        'Ils remplacent un second facteur : ajoutez d’abord une clé d’accès ou activez les codes à usage unique.',
      make: 'Créer dix nouveaux codes',
      replace: 'Créer dix nouveaux codes…',
      replaceTitle: 'Ceci remplace vos codes de secours.',
      replaceText: (count: number) =>
        `${counted(count, 'code que vous avez ne fonctionne', 'codes que vous avez ne fonctionnent')} plus.`,
      making: 'Création…',
      codesTitle: 'Conservez ces codes maintenant',
      codesText: 'Ils ne sont affichés que cette fois. Les codes précédents ne fonctionnent plus.',
      stored: 'Je les ai conservés',
      theCodes: 'les codes',
    },
  },
);

/** Codes that replace a second factor. New ones end the earlier ones, and are shown once. */
export function RecoveryCodes({ count, hasFactor }: { readonly count: number; readonly hasFactor: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const make = useAction(() => run(RECOVERY_CODES, {}), [['secondFactor']]);
  const close = () => {
    setAsking(false);
    make.reset();
  };
  const begin = () =>
    void make.run(undefined, ({ createRecoveryCodes }) => {
      close();
      setCodes(createRecoveryCodes);
    });
  return (
    <>
      <h3>{words.codes}</h3>
      <p>{!hasFactor ? words.noFactor : count === 0 ? words.noCodes : words.left(count)}</p>
      {make.problem && !isAsking && <Problem problem={make.problem} />}
      {hasFactor && (
        <div>
          {count === 0 ? (
            <Button busy={make.isRunning && words.making} onPress={begin}>
              {words.make}
            </Button>
          ) : (
            <Button onPress={() => setAsking(true)}>{words.replace}</Button>
          )}
        </div>
      )}
      {isAsking && (
        <Confirm
          title={words.replaceTitle}
          action={words.make}
          busy={words.making}
          state={make}
          onClose={close}
          onConfirm={begin}
        >
          <p>{words.replaceText(count)}</p>
        </Confirm>
      )}
      {codes !== undefined && (
        <Layer title={words.codesTitle} isAlert isDismissable={false} onClose={() => setCodes(undefined)}>
          <p>{words.codesText}</p>
          <ul className="list" aria-label={words.codes}>
            {codes.map((code) => (
              <li key={code} className="mono">
                {code}
              </li>
            ))}
          </ul>
          <div className="row end">
            <Copy value={codes.join('\n')} what={words.theCodes} />
            <Button variant="primary" onPress={() => setCodes(undefined)}>
              {words.stored}
            </Button>
          </div>
        </Layer>
      )}
    </>
  );
}
