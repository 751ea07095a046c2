/** What the routes of every wire stand on. */
import type { AgentDefinition, RunEvent } from '../../index.ts'
import type { Reporter } from '../../kit/index.ts'
import type { Route } from '../../kit/wire/index.ts'
import type { Gate } from '../access/gate.ts'
import type { HandlerOptions, ServedTroupe } from './options.ts'

export interface Serving {
  readonly service: ServedTroupe
  readonly gate: Gate
  /** The agents of which runs may be started, by their ids. */
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly options: Required<
    Pick<HandlerOptions, 'base' | 'maxBodyBytes' | 'heartbeat' | 'retry' | 'readerTimeout'>
  > &
    Pick<HandlerOptions, 'runOptions'>
  readonly report: Reporter
  /** An event of a run as clients see it. */
  readonly served: (event: RunEvent) => Promise<RunEvent>
}

/** The routes of a protocol between clients and runs. */
export type Wire = (serving: Serving) => readonly Route[]
