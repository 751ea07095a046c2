/** What a run waits for, read from its journal without touching the run. */
import { systemClock } from './clock.ts'
import { startedOf } from './check-entry.ts'
import { Engine } from './engine.ts'
import type { JournalEntry } from './journal.ts'
import type { Registry } from './registry.ts'
import { resumeFrom } from './resume.ts'
import type { SignalDesk } from './signal-desk.ts'

export function openSignals(registry: Registry, journal: readonly JournalEntry[]): SignalDesk {
  const engine = new Engine({
    registry,
    clock: systemClock,
    started: startedOf(journal),
    functions: {},
    onSettled: () => undefined,
    onSuspended: () => undefined,
  })
  resumeFrom(engine, journal)
  return engine.signals
}
