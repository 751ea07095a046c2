/** What the performer of one effect is given: looked up, measured and streamed for the run that it belongs to. */
import type { InspectionEvent } from 'xstate'
import type { PriceTable } from '../../actors/pricing.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Configurations } from '../configurations.ts'
import { lookUp, type Registry } from '../registry.ts'
import type { RunStarted } from '../journal.ts'
import type { ConfigStorage } from '../config-storage.ts'
import type { MemoryStorage } from '../memory-storage.ts'
import type { SupervisorOptions } from '../options.ts'
import { messageId, type Stamper } from '../stamper.ts'
import { isKind, type Ticket } from '../ticket.ts'
import type { PerformContext } from './context.ts'

interface RunParts {
  readonly registry: Registry
  readonly started: RunStarted
  /** The options that were given with the run: the home of its functions. */
  readonly functions: SupervisorOptions
  readonly inspect?: (event: InspectionEvent) => void
  readonly prices?: PriceTable | undefined
  readonly memory?: MemoryStorage
  readonly config?: ConfigStorage
  readonly configurations?: Configurations
}

export function contextOf(
  ticket: Ticket,
  { registry, started, functions, inspect, prices, memory, config, configurations }: RunParts,
  stamper: Stamper,
  now: () => number,
): PerformContext {
  return {
    runId: started.runId,
    resourceId: started.resourceId,
    at: now(),
    get memory() {
      if (memory === undefined) throw new ConfigurationError('This run was given no memory.')
      return memory
    },
    get config() {
      if (config === undefined) throw new ConfigurationError('This run was given no configuration.')
      return config
    },
    // Retries of a call are effects of their own; what must not happen twice is the call.
    idempotencyKey: `${started.runId}/${ticket.kind === 'tool' ? ticket.source.path : ticket.key}`,
    get signal() {
      return ticket.signal
    },
    onDelta:
      started.stream && isKind(ticket, 'model') && ticket.request.input.quiet !== true
        ? deltaSink(ticket, started.runId, stamper, now)
        : undefined,
    prices,
    inspect,
    runContext: started.context,
    configuration(agentId) {
      if (configurations === undefined) throw new ConfigurationError('This run was given no configurations.')
      return configurations.of(agentId)
    },
    definition: (agentId) => lookUp(registry, agentId),
    options: (scope, agentId) => (scope === 'run' ? functions : lookUp(registry, agentId).options),
    elapsed: (delegationId) => stamper.elapsed(delegationId, now()),
  }
}

/** Deltas go straight to the readers, past the journal. */
function deltaSink(
  ticket: Ticket<'model'>,
  runId: string,
  stamper: Stamper,
  now: () => number,
): NonNullable<PerformContext['onDelta']> {
  const { source } = ticket
  const seen = new Set<string>()
  const envelope = {
    runId,
    agent: source.agent,
    path: source.path,
    ...(source.delegationId === undefined ? {} : { delegationId: source.delegationId }),
    messageId: messageId(source.path, ticket.request.input.message),
  }
  return (delta) => {
    if (ticket.state !== 'performing' || delta.text === '') return
    const type = delta.type === 'text' ? 'text-delta' : 'reasoning-delta'
    const isFirst = !seen.has(type)
    seen.add(type)
    stamper.log.stream({ ...envelope, type, at: now(), payload: { text: delta.text } }, isFirst)
  }
}
