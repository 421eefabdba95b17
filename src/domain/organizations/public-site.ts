/** A letter to one person, in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Passes letters to a mail server. It rejects if the server does not accept one. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** The configuration of links and letters. */
export interface PublicSite {
  /** The origin that browsers see, such as `https://lucarne.example`. */
  readonly origin: () => string;
  /** Absent if no mail server is configured. The person who created a link then sees it. */
  readonly mailer?: Mailer | undefined;
}
