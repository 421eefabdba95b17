import { useState } from 'react';
import { Button } from '../../design/button';
import { Confirm, FormLayer } from '../../design/dialog';
import { Select } from '../../design/fields';
import { Await } from '../../design/states';
import { listText } from '../../format.ts';
import { useAction, useEvery } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { ReasonField } from '../reason-field';
import { SecondPersonNote } from '../second-person-note';
import { CANDIDATES } from '../requests/documents';
import { ADD_AUDITOR, END, REMOVE_AUDITOR, type CaseNode } from './documents';

const words = texts(
  {
    end: 'End the case…',
    endTitle: 'This ends the case now.',
    endText: (names: string) =>
      `From this instant on ${names} can read no transaction of it. It cannot be opened again; reports that were made stay.`,
    endAction: 'End the case',
    ending: 'Ending…',
    add: 'Add an auditor…',
    addTitle: 'Add an auditor to the case',
    addText: 'They can see the content of the case from now until it ends.',
    second: 'In your organization another administrator must make the same request within 72 hours.',
    addAction: 'Add the auditor',
    adding: 'Adding…',
    nobody: 'Everyone who holds an auditor permission is already assigned.',
    remove: 'Remove an auditor…',
    removeTitle: 'This removes an auditor from the case.',
    removeText: 'From this instant on they have no access to it. Reports that they created stay.',
    removeAction: 'Remove the auditor',
    removing: 'Removing…',
    auditor: 'Auditor',
    choose: 'Choose a person',
  },
  {
    fr: {
      end: 'Terminer le dossier…',
      endTitle: 'Ceci termine le dossier maintenant.',
      endText: (names: string) =>
        `Dès cet instant, plus aucune transaction n’en est lisible pour : ${names}. Il ne peut être rouvert ; les rapports déjà créés restent.`,
      endAction: 'Terminer le dossier',
      ending: 'Fin du dossier…',
      add: 'Ajouter un auditeur…',
      addTitle: 'Ajouter un auditeur au dossier',
      addText: 'Il voit ce que montre le dossier, dès maintenant et jusqu’à la fin.',
      second: 'Dans votre organisation, un autre administrateur doit demander la même chose sous 72 heures.',
      addAction: 'Ajouter l’auditeur',
      adding: 'Ajout…',
      nobody: 'Toutes les personnes qui ont une autorisation d’auditeur sont déjà désignées.',
      remove: 'Retirer un auditeur…',
      removeTitle: 'Ceci retire un auditeur du dossier.',
      removeText: 'Dès cet instant, il n’y a plus accès. Les rapports qu’il a créés restent.',
      removeAction: 'Retirer l’auditeur',
      removing: 'Retrait…',
      auditor: 'Auditeur',
      choose: 'Choisissez une personne',
    },
  },
);

interface ChangeProps {
  readonly app: string;
  readonly item: CaseNode;
  readonly onClose: () => void;
}

const changedBy = (app: string, id: string) => [['case', app, id], ['cases', app], ['activityLog']];

/** What an administrator can do with a case while its window is open. */
export function ChangeCase({ app, item }: Omit<ChangeProps, 'onClose'>) {
  const [open, setOpen] = useState<'end' | 'add' | 'remove'>();
  const props = { app, item, onClose: () => setOpen(undefined) };
  return (
    <div className="row">
      <Button onPress={() => setOpen('add')}>{words.add}</Button>
      {item.auditors.length > 1 && <Button onPress={() => setOpen('remove')}>{words.remove}</Button>}
      <Button onPress={() => setOpen('end')}>{words.end}</Button>
      {open === 'end' && <End {...props} />}
      {open === 'add' && <AddAuditor {...props} />}
      {open === 'remove' && <RemoveAuditor {...props} />}
    </div>
  );
}

function End({ app, item, onClose }: ChangeProps) {
  const action = useAction(
    (reason: string) => run(END, { input: { foreignId: app, id: item.id, reason } }),
    changedBy(app, item.id),
  );
  return (
    <Confirm
      title={words.endTitle}
      action={words.endAction}
      busy={words.ending}
      isDanger
      state={action}
      onClose={onClose}
      onConfirm={(values) => void action.run(values.text('reason'), onClose)}
    >
      <p>{words.endText(listText(item.auditors.map(({ name }) => name)))}</p>
      <ReasonField />
    </Confirm>
  );
}

function AddAuditor({ app, item, onClose }: ChangeProps) {
  const reading = useEvery(
    ['auditorCandidates', app],
    CANDIDATES,
    { foreignId: app },
    ({ auditorCandidates }) => auditorCandidates,
  );
  const action = useAction(
    (input: { auditorId: string; reason: string }) =>
      run(ADD_AUDITOR, { input: { foreignId: app, id: item.id, ...input } }),
    changedBy(app, item.id),
  );
  const known = reading.data ?? [];
  const others = known.filter(({ id }) => !item.auditors.some((auditor) => auditor.id === id));
  return (
    <FormLayer
      title={words.addTitle}
      action={words.addAction}
      busy={words.adding}
      state={action}
      isReady={others.length > 0}
      onClose={onClose}
      onSubmit={(values) =>
        void action.run({ auditorId: values.text('auditorId'), reason: values.text('reason') }, onClose)
      }
    >
      <p>{words.addText}</p>
      <SecondPersonNote>{words.second}</SecondPersonNote>
      <Await reading={reading} lines={1}>
        {() => (others.length === 0 ? <p>{words.nobody}</p> : <Auditor people={others} />)}
      </Await>
      <ReasonField />
    </FormLayer>
  );
}

function RemoveAuditor({ app, item, onClose }: ChangeProps) {
  const action = useAction(
    (input: { auditorId: string; reason: string }) =>
      run(REMOVE_AUDITOR, { input: { foreignId: app, id: item.id, ...input } }),
    changedBy(app, item.id),
  );
  return (
    <Confirm
      title={words.removeTitle}
      action={words.removeAction}
      busy={words.removing}
      isDanger
      state={action}
      onClose={onClose}
      onConfirm={(values) =>
        void action.run({ auditorId: values.text('auditorId'), reason: values.text('reason') }, onClose)
      }
    >
      <p>{words.removeText}</p>
      <Auditor people={item.auditors} />
      <ReasonField />
    </Confirm>
  );
}

const Auditor = ({
  people,
}: {
  readonly people: readonly { readonly id: string; readonly name: string }[];
}) => (
  <Select
    name="auditorId"
    label={words.auditor}
    // Nobody is chosen by default: the choice gives or takes the right to read.
    isRequired
    options={[
      { value: '', label: words.choose },
      ...people.map(({ id, name }) => ({ value: id, label: name })),
    ]}
  />
);
