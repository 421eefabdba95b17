import { Button } from '../../../design/button';
import { Layer } from '../../../design/dialog';
import { Copy } from '../../../design/values';
import { texts } from '../../../texts.ts';

const words = texts(
  {
    title: 'Hand over this link now',
    text: (email: string) =>
      `It is for ${email}. It is shown only now. It works once, within 72 hours, for the first person who uses it.`,
    link: 'Link to hand over',
    theLink: 'the link',
    mailedTitle: 'The link was mailed',
    mailed: (email: string) =>
      `${email} has it. It works once, within 72 hours, for the first person who uses it.`,
    done: 'I have handed it over',
    close: 'Close',
  },
  {
    fr: {
      title: 'Remettez ce lien maintenant',
      text: (email: string) =>
        `Il est pour ${email}. Il n’est affiché que maintenant. Il fonctionne une fois, sous 72 heures, pour la première personne qui l’utilise.`,
      link: 'Lien à remettre',
      theLink: 'le lien',
      mailedTitle: 'Le lien a été envoyé',
      mailed: (email: string) =>
        `${email} l’a reçu. Il fonctionne une fois, sous 72 heures, pour la première personne qui l’utilise.`,
      done: 'Je l’ai remis',
      close: 'Fermer',
    },
  },
);

export interface Issued {
  readonly link: string | null;
  readonly email: string;
}

/** The link is shown once, where no mail server sends it. It closes by the one button only. */
export function IssuedLink({ issued, onClose }: { readonly issued: Issued; readonly onClose: () => void }) {
  return (
    <Layer
      title={issued.link === null ? words.mailedTitle : words.title}
      isAlert
      isDismissable={false}
      onClose={onClose}
    >
      {issued.link === null ? (
        <p>{words.mailed(issued.email)}</p>
      ) : (
        <>
          <p>{words.text(issued.email)}</p>
          <p className="mono" aria-label={words.link} role="group">
            {issued.link}
          </p>
        </>
      )}
      <div className="row end">
        {issued.link !== null && <Copy value={issued.link} what={words.theLink} />}
        <Button variant="primary" onPress={onClose}>
          {issued.link === null ? words.close : words.done}
        </Button>
      </div>
    </Layer>
  );
}
