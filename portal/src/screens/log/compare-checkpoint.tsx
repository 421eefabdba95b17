import { useState } from 'react';
import { Button } from '../../design/button';
import { Layer } from '../../design/dialog';
import { Field, Form } from '../../design/fields';
import { Notice } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { Code } from '../../design/values';
import { countText } from '../../format.ts';
import { errorOf } from '../../graphql/gateway-error';
import { useAction } from '../../graphql/hooks';
import { request } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { verify } from '../../verification/verify';
import { CONSISTENCY } from './documents';
import { useLogState } from './log-mark';
import { hashWritten, spokenGroups } from './spoken.ts';

const words = texts(
  {
    open: 'Compare with a colleague…',
    title: 'Compare with a colleague',
    text: 'Two people who see the same log see the same root at the same size. At two sizes, the larger log must continue the smaller one: this browser checks a proof of it. Read yours out over the phone, or paste your colleague’s.',
    size: 'Size',
    root: 'Root',
    theRoot: 'the root',
    groups: 'Root, in words to read out',
    theirSize: 'The size that your colleague sees',
    paste: 'The root that your colleague sees at this size, as text or in words',
    compare: 'Compare',
    comparing: 'Comparing…',
    same: 'You both see the same log.',
    continues: 'You both see the same log: the larger one continues the smaller one.',
    other:
      'This is another root. If your colleague sees it at this size, one of you is shown a rewritten log: inform the person responsible for your organization’s security.',
    forked:
      'One log does not continue the other. If your colleague sees this root at this size, one of you is shown a rewritten log: inform the person responsible for your organization’s security.',
    unknown:
      'The gateway has no checkpoint of this size, and proves nothing about it. If your colleague sees this size, one of you is shown another log: inform the person responsible for your organization’s security.',
    unreadable: 'This is not a root. A root has 44 characters, or 16 words.',
  },
  {
    fr: {
      open: 'Comparer avec un collègue…',
      title: 'Comparer avec un collègue',
      text: 'Deux personnes qui voient le même journal voient la même racine à la même taille. À deux tailles, le plus grand journal doit continuer le plus petit : ce navigateur en vérifie une preuve. Lisez la vôtre au téléphone, ou collez ce que voit votre collègue.',
      size: 'Taille',
      root: 'Racine',
      theRoot: 'la racine',
      groups: 'Racine, en mots à lire à voix haute',
      theirSize: 'La taille que voit votre collègue',
      paste: 'La racine que votre collègue voit à cette taille, en texte ou en mots',
      compare: 'Comparer',
      comparing: 'Comparaison…',
      same: 'Vous voyez tous deux le même journal.',
      continues: 'Vous voyez tous deux le même journal : le plus grand continue le plus petit.',
      other:
        'C’est une autre racine. Si votre collègue la voit à cette taille, l’un de vous voit un journal réécrit : dites-le à la personne responsable de la sécurité.',
      forked:
        'L’un des journaux ne continue pas l’autre. Si votre collègue voit cette racine à cette taille, l’un de vous voit un journal réécrit : dites-le à la personne responsable de la sécurité.',
      unknown:
        'La passerelle n’a pas de point de contrôle de cette taille, et n’en prouve rien. Si votre collègue voit cette taille, l’un de vous voit un autre journal : dites-le à la personne responsable de la sécurité.',
      unreadable: 'Ce n’est pas une racine. Une racine a 44 caractères, ou 16 mots.',
    },
  },
);

interface Seen {
  readonly size: number;
  /** In base64. */
  readonly root: string;
}

type Outcome = 'same' | 'continues' | 'other' | 'forked' | 'unknown' | 'unreadable';

const TONES = {
  same: 'good',
  continues: 'good',
  other: 'bad',
  forked: 'bad',
  unknown: 'bad',
  unreadable: 'warn',
} as const satisfies Record<Outcome, string>;

async function compared(own: Seen, size: number, written: string): Promise<Outcome> {
  const root = hashWritten(written);
  if (root === undefined) return 'unreadable';
  if (size === own.size) return root === own.root ? 'same' : 'other';
  const theirs = { size, root };
  const [older, newer] = size < own.size ? [theirs, own] : [own, theirs];
  let hashes: readonly string[];
  try {
    const sizes = { from: older.size, to: newer.size };
    ({ hashes } = (await request(CONSISTENCY, sizes)).logConsistencyProof);
  } catch (thrown) {
    if (errorOf(thrown).code === 'BAD_USER_INPUT') return 'unknown';
    throw thrown;
  }
  const { holds } = await verify({ ask: 'continues', older, newer, hashes });
  return holds ? 'continues' : 'forked';
}

const NOTHING_TYPED = { size: '', root: '' };

/** Size and root, to compare with what another person is shown: two people are two witnesses. */
export function CompareCheckpoint() {
  const { data } = useLogState();
  const [isOpen, setOpen] = useState(false);
  const [theirs, setTheirs] = useState(NOTHING_TYPED);
  const [result, setResult] = useState<{ readonly of: string; readonly outcome: Outcome }>();
  // The content of the signed note, not the other members of the response.
  const checkpoint = data?.checkpoint;
  const { size, root } = checkpoint ?? { size: 0, root: '' };
  const comparison = useAction(() => compared({ size, root }, Number(theirs.size), theirs.root.trim()));
  // What a result is about: it is not shown for another checkpoint, nor beside other values.
  const isAbout = JSON.stringify([size, root, theirs]);
  const outcome = result?.of === isAbout ? result.outcome : undefined;
  const open = () => {
    setTheirs({ ...NOTHING_TYPED, size: String(size) });
    setResult(undefined);
    comparison.reset();
    setOpen(true);
  };
  return (
    <div>
      {/* There from the beginning, so that the buttons beside it do not move when the log is checked. */}
      <Button isDisabled={checkpoint === undefined} onPress={open}>
        {words.open}
      </Button>
      {isOpen && checkpoint !== undefined && (
        <Layer title={words.title} onClose={() => setOpen(false)}>
          <p>{words.text}</p>
          <Facts>
            <Fact name={words.size}>{countText(size)}</Fact>
            <Fact name={words.root}>
              <Code value={root} what={words.theRoot} />
            </Fact>
            <Fact name={words.groups}>
              <ol className="plain-list">
                {spokenGroups(root).map((group) => (
                  <li key={group}>
                    <code>{group}</code>
                  </li>
                ))}
              </ol>
            </Fact>
          </Facts>
          <Form
            problem={comparison.problem}
            onSubmit={() => {
              setResult(undefined);
              void comparison.run(undefined, (found) => setResult({ of: isAbout, outcome: found }));
            }}
          >
            <Field
              name="size"
              type="number"
              label={words.theirSize}
              isRequired
              value={theirs.size}
              onChange={(typed) => setTheirs({ ...theirs, size: typed })}
              min="1"
            />
            <Field
              name="root"
              label={words.paste}
              isMono
              isRequired
              value={theirs.root}
              onChange={(typed) => setTheirs({ ...theirs, root: typed })}
            />
            <div>
              <Button type="submit" busy={comparison.isRunning && words.comparing}>
                {words.compare}
              </Button>
            </div>
          </Form>
          <div role="status">
            {outcome !== undefined && <Notice tone={TONES[outcome]}>{words[outcome]}</Notice>}
          </div>
        </Layer>
      )}
    </div>
  );
}
