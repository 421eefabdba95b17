import { Link } from '@tanstack/react-router';
import { OutsidePage } from '../../design/outside-page';
import { Card } from '../../design/states';
import { Fact, Facts } from '../../design/table';
import { PLACE_NAMES } from '../../app/places.ts';
import { texts } from '../../texts.ts';

const words = texts(
  {
    about:
      'This gateway keeps the auditor key of confidential assets: tokens whose amounts are encrypted on the ledger. In this portal people decide who can see which amount, why, and for how long.',
    roles: 'Who does what',
    auditor: 'Auditor',
    auditorText:
      'Requests a case: which days, which assets, which values, for how long. Reads it while it is open, creates reports, and downloads them.',
    administrator: 'Administrator',
    administratorText:
      'Approves requests of auditors, in full or in part, or closes them with a reason. Ends cases, manages the list of addresses, decides disclosures.',
    owner: 'Owner',
    ownerText:
      'Manages people, keys, applications, assets and policies, follows relays, and sees in the activity log who saw what.',
    marks: 'What the marks mean',
    held: 'Checked here',
    heldText:
      'The signatures and proofs are valid. This browser checked them itself, and never relies on the gateway’s word alone.',
    notCheckable: 'Not checkable',
    notCheckableText: 'There is nothing to check it against. The mark says why.',
    open: 'Public',
    openText:
      'Anyone can read the amounts of deposits and withdrawals on the ledger, and compare them there.',
    failed: 'Does not hold',
    failedText:
      'A check failed: do not rely on the value, save the details of the mark, and inform the operator of the gateway.',
    values: 'What is not shown',
    hidden: 'hidden',
    hiddenText: 'The case does not grant the value, and the gateway left it out. It is not in this page.',
    none: 'none',
    noneText: 'There is no such value.',
    noKey: 'No key opens it',
    noKeyText: 'The amount is encrypted to a key that the gateway does not have.',
    time: 'Time',
    timeText:
      'Times are UTC, as periods are. A case ends automatically, and its data is then removed from this page. Its reports are kept, but auditors can no longer download them.',
    keyboard: 'Keyboard',
    keyboardText:
      'Tab moves to the next control, Escape closes. In a grid of transactions, the arrow, Home, End and Page keys move between cells. Ctrl+K, or ⌘+K, opens any place or id.',
    ask: 'Whom to ask',
    askText:
      'Owners with the permission members:manage grant permissions, invite people, and reset sign-ins. The operator of the gateway needs the request id that an error shows.',
    back: 'Back to the portal',
  },
  {
    fr: {
      about:
        'Cette passerelle garde la clé d’auditeur d’actifs confidentiels : des jetons dont les montants sont chiffrés sur le registre. Ici, des personnes décident qui apprend quel montant, pourquoi, et pour combien de temps.',
      roles: 'Qui fait quoi',
      auditor: 'Auditeur',
      auditorText:
        'Demande un dossier : quels jours, quels actifs, quelles valeurs, pour combien de temps. Le lit tant qu’il est ouvert, crée des rapports et les télécharge.',
      administrator: 'Administrateur',
      administratorText:
        'Approuve ce que les auditeurs demandent, ou moins, ou le refuse avec un motif. Termine des dossiers, tient la liste des adresses, statue sur les divulgations.',
      owner: 'Propriétaire',
      ownerText:
        'Gère personnes, clés, applications, actifs et règles, suit les relais, et voit dans le journal d’activité qui a vu quoi.',
      marks: 'Ce que disent les marques',
      held: 'Vérifié ici',
      heldText:
        'Signatures et preuves tiennent. Ce navigateur l’a calculé ; la parole seule de la passerelle n’y suffit jamais.',
      notCheckable: 'Non vérifiable',
      notCheckableText: 'Il n’y a rien à quoi le comparer. La marque dit pourquoi.',
      open: 'Public',
      openText:
        'Chacun peut lire les montants des dépôts et des retraits sur le registre, et les y comparer.',
      failed: 'Échec de la vérification',
      failedText:
        'Une vérification a échoué : ne vous y fiez pas, enregistrez ce que la marque montre, et prévenez qui exploite la passerelle.',
      values: 'Ce qui n’est pas montré',
      hidden: 'masqué',
      hiddenText:
        'Le dossier n’accorde pas la valeur, et la passerelle l’a omise. Elle n’est pas dans cette page.',
      none: 'aucun',
      noneText: 'Il n’y a pas de telle valeur.',
      noKey: 'Aucune clé ne l’ouvre',
      noKeyText: 'Le montant est chiffré pour une clé que la passerelle n’a pas.',
      time: 'Heures',
      timeText:
        'Les heures sont en UTC, comme les périodes. Un dossier se termine de lui-même, et ce qui en a été lu quitte alors cette page. Ses rapports sont conservés, mais les auditeurs ne peuvent plus les télécharger.',
      keyboard: 'Clavier',
      keyboardText:
        'Tab avance, Échap ferme. Dans une grille de transactions, les flèches, Début, Fin et les touches Page vont de cellule en cellule. Ctrl+K, ou ⌘+K, mène à tout lieu ou identifiant.',
      ask: 'À qui s’adresser',
      askText:
        'Les propriétaires qui ont l’autorisation members:manage accordent les autorisations, invitent, et réinitialisent la connexion de quelqu’un. Qui exploite la passerelle a besoin de l’identifiant de requête qu’une erreur affiche.',
      back: 'Retour au portail',
    },
  },
);

/** One place for help, the same for everyone; it asks the gateway for nothing, and works without a session. */
export function Help() {
  return (
    <OutsidePage title={PLACE_NAMES.help} isWide>
      <p>{words.about}</p>
      <Card title={words.roles}>
        <Facts>
          <Fact name={words.auditor}>{words.auditorText}</Fact>
          <Fact name={words.administrator}>{words.administratorText}</Fact>
          <Fact name={words.owner}>{words.ownerText}</Fact>
        </Facts>
      </Card>
      <Card title={words.marks}>
        <Facts>
          <Fact name={words.held}>{words.heldText}</Fact>
          <Fact name={words.notCheckable}>{words.notCheckableText}</Fact>
          <Fact name={words.open}>{words.openText}</Fact>
          <Fact name={words.failed}>{words.failedText}</Fact>
        </Facts>
      </Card>
      <Card title={words.values}>
        <Facts>
          <Fact name={words.hidden}>{words.hiddenText}</Fact>
          <Fact name={words.none}>{words.noneText}</Fact>
          <Fact name={words.noKey}>{words.noKeyText}</Fact>
        </Facts>
      </Card>
      <Card title={words.time}>
        <p>{words.timeText}</p>
      </Card>
      <Card title={words.keyboard}>
        <p>{words.keyboardText}</p>
      </Card>
      <Card title={words.ask}>
        <p>{words.askText}</p>
      </Card>
      <p>
        <Link to="/">{words.back}</Link>
      </p>
    </OutsidePage>
  );
}
