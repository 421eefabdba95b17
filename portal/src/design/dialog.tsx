import { useId, useSyncExternalStore, type ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { absence } from '../graphql/connection';
import type { GatewayError } from '../graphql/gateway-error';
import { texts } from '../texts.ts';
import { Button } from './button';
import { Form } from './fields';
import type { FormValues } from './form-values.ts';

const words = texts(
  { cancel: 'Cancel', close: 'Close', away: 'Not connected: nothing can be sent.' },
  { fr: { cancel: 'Annuler', close: 'Fermer', away: 'Pas de connexion : rien ne peut être envoyé.' } },
);

/** A layer above the page. Escape closes it, and the focus goes back to what opened it. */
export function Layer({
  title,
  children,
  onClose,
  isAlert = false,
  isDismissable = true,
  hasClose = !isAlert,
}: {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly isAlert?: boolean;
  readonly isDismissable?: boolean;
  /** A close button for devices without an Escape key. A layer with Cancel needs none. */
  readonly hasClose?: boolean;
}) {
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className="overlay"
      isKeyboardDismissDisabled={!isDismissable}
    >
      <Modal className="modal">
        <Dialog role={isAlert ? 'alertdialog' : 'dialog'} className="dialog">
          <div className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {hasClose && (
              <Button variant="quiet" onPress={onClose}>
                {words.close}
              </Button>
            )}
          </div>
          {children}
          <Away />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Why its buttons cannot be pressed: the layer covers the sentence of the page. */
function Away() {
  const isAway = useSyncExternalStore(absence.subscribe, absence.read) !== undefined;
  return <div role="status">{isAway && <p className="notice warn">{words.away}</p>}</div>;
}

interface ActionLayerProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly action: ReactNode;
  readonly busy: string;
  /** Whether the action is under way, and why it failed. */
  readonly state: { readonly isRunning: boolean; readonly problem: GatewayError | undefined };
  readonly isDanger?: boolean;
  /** Whether all requirements are met, so that it can be sent. */
  readonly isReady?: boolean;
  /** Whether it is done, so that there is nothing to cancel and only the result is left. */
  readonly isDone?: boolean;
  readonly onSubmit: (values: FormValues) => void;
  readonly onClose: () => void;
}

/**
 * Asks before what cannot be undone: the exact consequence, a verb phrase on the button, the focus on Cancel. No key
 * combination confirms it.
 */
export function Confirm({
  onConfirm,
  ...props
}: Omit<ActionLayerProps, 'onSubmit'> & { readonly onConfirm: (values: FormValues) => void }) {
  return <ActionLayer {...props} isAlert onSubmit={onConfirm} />;
}

/** A form above the page, for what can be undone. */
export function FormLayer(props: Omit<ActionLayerProps, 'isDanger' | 'isDone'>) {
  return <ActionLayer {...props} isAlert={false} />;
}

function ActionLayer({
  title,
  children,
  action,
  busy,
  state: { isRunning, problem },
  isAlert,
  isDanger = false,
  isReady = true,
  isDone = false,
  onSubmit,
  onClose,
}: ActionLayerProps & { readonly isAlert: boolean }) {
  const id = useId();
  // It is stored, and waits for another person: there is nothing to cancel, and nothing to send again.
  const isProposed = problem?.code === 'CONFLICT' && problem.reason === 'second_person_required';
  return (
    <Layer
      title={title}
      isAlert={isAlert}
      onClose={onClose}
      isDismissable={!isRunning && !isDone}
      hasClose={false}
    >
      <Form id={id} problem={problem} onSubmit={onSubmit} isConfirmation={isAlert}>
        {children}
      </Form>
      <div className="row end">
        <Button autoFocus={isAlert} isDisabled={isRunning} onPress={onClose}>
          {isDone || isProposed ? words.close : words.cancel}
        </Button>
        {!isProposed && (
          <Button
            type="submit"
            form={id}
            variant={isDanger ? 'danger' : 'primary'}
            isDisabled={!isReady}
            busy={isRunning && busy}
          >
            {action}
          </Button>
        )}
      </div>
    </Layer>
  );
}
