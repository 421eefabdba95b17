import { useState } from 'react';
import { Button } from '../../design/button';
import { Layer } from '../../design/dialog';
import { Field, Form } from '../../design/fields';
import { Notice } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { Code } from '../../design/values';
import { countText } from '../../format.ts';
import { texts } from '../../texts.ts';
import { useLogState } from './log-mark';
import { isWritten, spokenGroups } from './spoken.ts';

const words = texts(
  {
    open: 'Compare with a colleague…',
    title: 'Compare with a colleague',
    text: 'Two people who see the same log see the same root at the same size. Read yours out over the phone, or paste your colleague’s.',
    size: 'Size',
    root: 'Root',
    theRoot: 'the root',
    groups: 'Root, in words to read out',
    paste: 'The root that your colleague sees at this size, as text or in words',
    compare: 'Compare',
    same: 'You both see the same log.',
    other:
      'This is another root. If your colleague’s log has the same size, one of you is shown a rewritten log: inform the person responsible for your organization’s security.',
  },
  {
    fr: {
      open: 'Comparer avec un collègue…',
      title: 'Comparer avec un collègue',
      text: 'Deux personnes qui voient le même journal voient la même racine à la même taille. Lisez la vôtre au téléphone, ou collez ce que voit votre collègue.',
      size: 'Taille',
      root: 'Racine',
      theRoot: 'la racine',
      groups: 'Racine, en mots à lire à voix haute',
      paste: 'La racine que votre collègue voit à cette taille, en texte ou en mots',
      compare: 'Comparer',
      same: 'Vous voyez tous deux le même journal.',
      other:
        'C’est une autre racine. Si le journal de votre collègue a la même taille, l’un de vous voit un journal réécrit : dites-le à la personne responsable de la sécurité.',
    },
  },
);

/** Size and root, to compare with what another person is shown: two people are two witnesses. */
export function CompareCheckpoint() {
  const { data } = useLogState();
  const [isOpen, setOpen] = useState(false);
  const [isSame, setSame] = useState<boolean>();
  // The content of the signed note, not the other members of the response.
  const checkpoint = data?.checkpoint;
  const { size, root } = checkpoint ?? { size: 0, root: '' };
  return (
    <div>
      {/* There from the beginning, so that the buttons beside it do not move when the log is checked. */}
      <Button isDisabled={checkpoint === undefined} onPress={() => setOpen(true)}>
        {words.open}
      </Button>
      {isOpen && checkpoint !== undefined && (
        <Layer
          title={words.title}
          onClose={() => {
            setOpen(false);
            setSame(undefined);
          }}
        >
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
          <Form problem={undefined} onSubmit={(values) => setSame(isWritten(root, values.text('root')))}>
            <Field name="root" label={words.paste} isMono isRequired />
            <div>
              <Button type="submit">{words.compare}</Button>
            </div>
          </Form>
          <div role="status">
            {isSame !== undefined && (
              <Notice tone={isSame ? 'good' : 'bad'}>{isSame ? words.same : words.other}</Notice>
            )}
          </div>
        </Layer>
      )}
    </div>
  );
}
