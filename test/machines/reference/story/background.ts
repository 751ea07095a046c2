/** Calls that no step waits for: of each tool and each subagent, as many at once as it has places. */
import type { Stimulus } from 'troupe/testing'
import type { AgentInput } from '../../../../src/machines/contract/agent.ts'
import { Calls } from './calls.ts'

export class Background {
  readonly #groups = new Map<string, Calls>()

  get areAtWork(): boolean {
    return this.#all.some(({ areAtWork }) => areAtWork)
  }

  get areOpen(): boolean {
    return this.#all.some(({ areOpen }) => areOpen)
  }

  add(name: string, places: number, child: string): void {
    const calls = this.#groups.get(name) ?? new Calls(places)
    this.#groups.set(name, calls)
    calls.add([child])
  }

  drop(): void {
    for (const calls of this.#all) calls.drop()
  }

  isAtWork(child: string): boolean {
    return this.#all.some((calls) => calls.isAtWork(child))
  }

  take(stimulus: Stimulus): void {
    for (const calls of this.#all) calls.take(stimulus)
  }

  get #all(): readonly Calls[] {
    return [...this.#groups.values()]
  }
}

/** The places of a call in the background; `undefined`: its step waits for it. */
export function placesOf({ profile, awaitsTools }: AgentInput, name: string): number | undefined {
  const { background, runsBackground, toolset } = profile
  if (!name.startsWith('agent-')) {
    if (runsBackground !== true || awaitsTools === true) return undefined
    return toolset.tools.get(name)?.background?.concurrency
  }
  const key = name.slice('agent-'.length)
  // The options of the supervisor stand over those that the subagent has by its tools.
  if (Object.hasOwn(background, key)) return background[key]?.concurrency
  return runsBackground === true ? toolset.subagent(name)?.background?.concurrency : undefined
}
