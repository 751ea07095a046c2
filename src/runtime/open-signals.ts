/** What a run waits for, read from its journal without touching the run. */
import { systemClock } from './clock.ts'
import { startedOf } from './check-entry.ts'
import { Engine } from './engine.ts'
import type { JournalEntry } from './journal.ts'
import type { AgentRegistry } from './registry.ts'
import { registryOf } from './run-registry.ts'
import { resumeFrom } from './resume.ts'
import type { SignalDesk } from './signal-desk.ts'

export function openSignals(registry: AgentRegistry, journal: readonly JournalEntry[]): SignalDesk {
  const started = startedOf(journal)
  const engine = new Engine({
    registry: registryOf(registry, started),
    clock: systemClock,
    started,
    functions: {},
    onSettled: () => undefined,
    onSuspended: () => undefined,
  })
  resumeFrom(engine, journal)
  return engine.signals
}
