import { Migration } from '@mikro-orm/migrations';

/** Erases the client addresses of sign-ins from the log: entries now contain a digest under a key of this gateway. */
export class Migration0016SessionClients extends Migration {
  override up(): void {
    this.addSql(`update activity_entries set salts = salts - '/details/client_address'
      where event_type = 'session.created' and salts->'/details/client_address' is not null`);
  }
}
