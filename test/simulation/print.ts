/** A failing seed as a person reads it: what was found, with how little, how it came about, and how to see it again. */
import { checks } from './checks/findings.ts'
import type { Without } from './shrink.ts'
import type { Simulation } from './simulate.ts'

/** The store of a world that is not in memory. */
export type StoreName = 'memory' | 'postgres' | 'sealed'

export function replayCommand(
  seed: number,
  { actions, trouble }: Without,
  store: StoreName = 'memory',
  isRolling = false,
): string {
  return [
    `npm run simulate -- --seed ${seed}`,
    ...(isRolling ? ['--rolling'] : []),
    ...(actions.length > 0 ? [`--without ${actions.join(',')}`] : []),
    ...(trouble.length > 0 ? [`--calm ${trouble.join(',')}`] : []),
    ...(store === 'memory' ? [] : [`--store ${store}`]),
  ].join(' ')
}

export function failureText(
  { plan, findings, trace }: Simulation,
  without: Without,
  store?: StoreName,
): string {
  const { settings, actions } = plan
  return [
    `Seed ${plan.seed} fails:`,
    ...findings.map(({ check, message }) => `  ${check} (${checks[check]}): ${message}`),
    '',
    `Settings: ${JSON.stringify(settings)}`,
    ...actions.map((action) => `  ${JSON.stringify(action)}`),
    '',
    'Trace (milliseconds, who, what):',
    ...trace.map((line) => `  ${line}`),
    '',
    `Again: ${replayCommand(plan.seed, without, store, plan.isRolling)}`,
  ].join('\n')
}
