/** Writes a trace as statements: entities with their origins, texts, choices, agents and options. */
import type { RunEvent } from '../../index.ts'
import type { Description } from '../rdf/statements.ts'
import { Statements } from '../rdf/statements.ts'
import type { Term } from '../rdf/terms.ts'
import type { Uris } from '../rdf/uris.ts'
import type { Moment, Session } from './session.ts'

export interface Making {
  /** The activity that made it. Default: the session. */
  readonly by?: string
  readonly moment: Moment
  readonly from: readonly string[]
  readonly text?: string | undefined
}

export interface Option {
  readonly uri: string
  readonly label: string
}

export interface Choosing {
  readonly subject: string
  readonly candidates: readonly Option[]
  readonly chosen: Option
  /** The ground of the choice. */
  readonly criterion: string
  readonly rationale?: string | undefined
  readonly fallback?: string | undefined
}

type Versions = Extract<RunEvent, { type: 'run-start' }>['payload']

export class Ledger {
  readonly uris: Uris
  readonly statements = new Statements()
  #conversationId: string | undefined
  /** By the ids of agents. */
  #versions: ReadonlyMap<string, string | null> = new Map()

  constructor(uris: Uris) {
    this.uris = uris
  }

  /** All that is made from now on is tagged with the conversation. */
  takeConversation(conversationId: string | undefined): void {
    this.#conversationId = conversationId
  }

  /** A run has one version of each agent, from its beginning on. `root`: the id of its root agent. */
  takeVersions(root: string, { version, versions = {} }: Versions): void {
    this.#versions = new Map(Object.entries({ ...versions, [root]: version ?? null }))
  }

  about(session: Session, uri: string): Description {
    return this.statements.about(uri, session.graph)
  }

  /** An entity that was generated once, and derived from earlier ones. */
  entity(session: Session, uri: string, types: readonly Term[], making: Making): Description {
    const { by = session.uri, moment, from, text } = making
    session.ledTo(from, moment.at)
    return this.about(session, uri)
      .is('prov:Entity', ...types)
      .link('prov:wasGeneratedBy', by)
      .time('prov:generatedAtTime', moment.at)
      .number('troupe:sequence', moment.seq)
      .link('prov:wasDerivedFrom', ...from)
      .text('prov:value', text)
      .text('tg:conversationId', this.#conversationId)
  }

  activity(session: Session, uri: string, types: readonly Term[], startedAt: number): Description {
    return this.about(session, uri)
      .is('prov:Activity', ...types)
      .time('prov:startedAtTime', startedAt)
      .link('prov:wasAssociatedWith', this.agent(session.agent))
      .text('tg:conversationId', this.#conversationId)
  }

  /** A text as a document of its own. Returns its URI. */
  document(session: Session, wanted: string, making: Making & { readonly text: string }): string {
    const uri = this.uris.mint(wanted)
    this.entity(session, uri, ['troupe:Text'], making)
    return uri
  }

  /** A choice among candidates. */
  choice(
    session: Session,
    uri: string,
    types: readonly Term[],
    choosing: Choosing,
    making: Making,
  ): Description {
    const { subject, candidates, chosen, criterion, rationale, fallback } = choosing
    const described = this.entity(session, uri, ['troupe:Choice', ...types], making)
      .text('troupe:subject', subject)
      .link('troupe:candidate', ...candidates.map((candidate) => this.option(candidate)))
      .link('troupe:chosen', this.option(chosen))
      .text('troupe:criterion', criterion)
      .text('troupe:fallback', fallback)
    if (rationale === undefined) return described
    const why = this.document(session, `${uri}/rationale`, {
      moment: making.moment,
      from: making.from,
      text: rationale,
    })
    return described.link('troupe:rationale', why)
  }

  /** Returns the URI of an option. It existed before the run: no activity of the run has generated it. */
  option({ uri, label }: Option): string {
    this.statements.about(uri).is('prov:Entity', 'troupe:Option').text('rdfs:label', label)
    return uri
  }

  /** Returns the URI of a person, or of a program that speaks as one, by its name. */
  person(name: string): string {
    const uri = this.uris.person(name)
    this.statements.about(uri).is('prov:Agent').text('rdfs:label', name)
    return uri
  }

  /** Returns the URI of an agent's definition. */
  agent(id: string): string {
    const version = this.#versions.get(id) ?? undefined
    const uri = this.uris.agent(id, version)
    this.statements
      .about(uri)
      .is('prov:Agent', 'prov:SoftwareAgent')
      .text('rdfs:label', id)
      .text('troupe:agentId', id)
      .text('troupe:agentVersion', version)
    return uri
  }
}
