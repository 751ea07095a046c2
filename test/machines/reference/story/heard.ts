/** The outcomes and events of a path, as they are told one by one: the latest, and those about the present step. */
import type { Outcome, Stimulus } from 'troupe/testing'
import type { AgentInput, AgentProfile } from '../../../../src/machines/contract/agent.ts'

export class Heard {
  readonly input: AgentInput
  readonly profile: AgentProfile
  /** The latest outcome or event; `undefined` before the first. */
  now: Stimulus | undefined
  /** Outcomes about the present step, by the child or hook. */
  readonly #verdicts = new Map<string, Outcome>()

  constructor(input: AgentInput) {
    this.input = input
    this.profile = input.profile
  }

  get ignoresHookErrors(): boolean {
    return this.profile.hookErrors === 'ignore'
  }

  has(hook: keyof AgentProfile['hooks']): boolean {
    return this.profile.hooks[hook] !== undefined
  }

  hears(event: string): boolean {
    return this.now?.type === 'event' && this.now.name === event
  }

  /** The latest outcome is one of this child or hook; `outcomes`: any, where there are none. */
  gets(child: string, ...outcomes: readonly string[]): boolean {
    return this.now?.type === 'outcome' && isOf(this.now.child, child) && isOneOf(this.now.outcome, outcomes)
  }

  /** The latest outcome is an error of this child or hook. */
  fails(child: string): boolean {
    return this.gets(child) && this.error !== undefined
  }

  /** The code of the latest outcome, if it is an error. */
  get error(): string | undefined {
    return this.now?.type === 'outcome' ? this.now.outcome.error?.code : undefined
  }

  /** What this child or hook said of the present step was one of these; `outcomes`: any, where there are none. */
  said(child: string, ...outcomes: readonly string[]): boolean {
    const verdict = this.#verdicts.get(child)
    return verdict !== undefined && isOneOf(verdict, outcomes)
  }

  protected record(child: string, outcome: Outcome): void {
    this.#verdicts.set(subject(child), outcome)
  }

  protected forget(child: string): void {
    this.#verdicts.delete(child)
  }

  protected forgetAll(): void {
    this.#verdicts.clear()
  }
}

/** Hooks are named without their kind. */
function subject(child: string): string {
  return child.startsWith('hook:') ? child.slice('hook:'.length) : child.replace(/:.*/, '')
}

function isOf(child: string, name: string): boolean {
  return child === name || subject(child) === name
}

function isOneOf({ name }: Outcome, outcomes: readonly string[]): boolean {
  return outcomes.length === 0 || outcomes.includes(name)
}
