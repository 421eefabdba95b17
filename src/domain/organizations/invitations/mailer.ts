/** A letter to one person, in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Hands letters to a mail server. It rejects when the server does not take one. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** What links and letters need to know of the place where they lead. */
export interface Door {
  /** The origin that browsers see, such as `https://lucarne.example`. */
  readonly origin: () => string;
  /** Absent if no mail server is configured: links are then shown to the person who created them. */
  readonly mailer?: Mailer | undefined;
}
