/**
 * An observer of one run that is looked at when the run has ended: each agent at work began once and ended once, an agent at
 * work has the agent above it at work, and no effect is performed for an agent that is not at work.
 */
import type { ObservedEffect, Observer } from 'troupe'

export class AgentsSeen {
  readonly #found: string[] = []
  readonly #atWork = new Set<string>()
  readonly observer: Observer = {
    around: (effect, perform) => {
      this.#performed(effect)
      return perform()
    },
    agent: ({ path }) => {
      if (this.#atWork.has(path)) this.#found.push(`${path} began twice`)
      if (path.includes('/') && !this.#isAtWork(path.slice(0, path.lastIndexOf('/')))) {
        this.#found.push(`${path} began below no agent`)
      }
      this.#atWork.add(path)
      return () => {
        if (!this.#atWork.delete(path)) this.#found.push(`${path} ended twice`)
        if (this.#isAbove(path)) this.#found.push(`${path} ended before an agent below it`)
      }
    },
  }

  /** Those found so far, and the agents that are at work still. */
  get faults(): readonly string[] {
    return [...this.#found, ...Array.from(this.#atWork, (path) => `${path} did not end`)]
  }

  #performed({ kind, agent, path }: ObservedEffect): void {
    if (!this.#isAtWork(path)) this.#found.push(`${kind} of ${agent} at ${path} while no agent works`)
  }

  #isAtWork(path: string): boolean {
    return [...this.#atWork].some((own) => path === own || path.startsWith(`${own}/`))
  }

  #isAbove(path: string): boolean {
    return [...this.#atWork].some((own) => own.startsWith(`${path}/`))
  }
}
