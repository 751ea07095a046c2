/** Messages of people in mid-run: entities from outside of the run, which the next reply of the model derives from. */
import type { Saying } from '../../machines/contract/sayings.ts'
import { encoded } from '../rdf/uris.ts'
import type { Ledger } from './ledger.ts'
import type { Moment, Session } from './session.ts'

export class Messages {
  readonly #ledger: Ledger
  /** The messages that an agent has taken, by id; a successor may be the one that reads them. */
  readonly #taken = new Map<string, { readonly saying: Saying; readonly at: number }>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  taken(saying: Saying, { at }: Moment): void {
    this.#taken.set(saying.id, { saying, at })
  }

  /** The model of the session reads the message with its next request. */
  heard(session: Session, { id }: Pick<Saying, 'id'>, moment: Moment): void {
    const taken = this.#taken.get(id)
    if (taken === undefined) return
    const { message, by } = taken.saying
    const ledger = this.#ledger
    const uri = ledger.uris.mint(`${session.uri}/message/${encoded(id)}`)
    const described = ledger
      .about(session, uri)
      .is('prov:Entity', 'troupe:Message')
      .text('prov:value', message)
      .time('prov:generatedAtTime', taken.at)
      .number('troupe:sequence', moment.seq)
    if (by !== undefined) described.link('prov:wasAttributedTo', ledger.person(by))
    ledger.about(session, session.uri).link('prov:used', uri)
    session.goOn(uri)
  }
}
