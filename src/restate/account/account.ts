/**
 * The account of a run, as one of its workflows uses it: it asks before each model call, and tells its usage afterwards.
 * Restate records each answer, so that another execution of the workflow has the same.
 */
import { serde, type RestatePromise, type TerminalError, type WorkflowContext } from '@restatedev/restate-sdk'
import type { Budget } from '../../runtime/state/effects/budget.ts'
import { countsAsModelCall, type PendingEffect } from '../../runtime/state/effects/pending-effect.ts'
import type { Registry } from '../../runtime/definition/registry.ts'
import { lookUp } from '../../runtime/definition/registry.ts'
import { CancelledError, toErrorData, type ErrorData } from '../../errors.ts'
import { accountsOf } from '../wire/addresses.ts'
import {
  accountHandlers,
  type AccountAnswer,
  type AccountNews,
  type AccountQuestion,
} from '../wire/account.ts'
import { isCounted } from '../wire/part-request.ts'
import { fromRestateError } from '../wire/terminal-errors.ts'
import { delegates } from '../wire/validate-agents.ts'
import type { RunRequest } from '../wire/wire.ts'

/** The race of the workflow, which takes one promise at a time. */
interface Waiting {
  add<Value>(
    promise: RestatePromise<Value>,
    act: (value: Value | undefined, failure: TerminalError | undefined) => void,
  ): void
}

export interface AccountOptions {
  readonly context: WorkflowContext
  readonly race: Waiting
  readonly clock: { advance(at: number | undefined): void }
  readonly namespace: string
  readonly request: RunRequest
  readonly budget: Budget
}

/** What follows from the answer. */
export interface Answered {
  readonly granted: () => void
  readonly refused: (error: ErrorData) => void
}

/** Whether the agents of the run share the budget: an agent without subagents counts by itself. */
export function sharesBudget(registry: Registry, { part, started }: RunRequest, { limits }: Budget): boolean {
  return isCounted(limits) && (part !== undefined || delegates(lookUp(registry, started.agent)))
}

export class Account {
  readonly #options: AccountOptions
  readonly #path: string
  #number = 0
  /** The number of ended subagents that the account surely knows. */
  #known = 0
  #told = ''

  constructor(options: AccountOptions) {
    const { part, started } = options.request
    this.#options = options
    this.#path = part?.path ?? started.agent
    this.#told = JSON.stringify(options.budget.spent)
  }

  /** What a part reports to its parent. */
  get spent(): Budget['spent'] {
    return this.#options.budget.spent
  }

  ask(effect: PendingEffect, { granted, refused }: Answered): void {
    const { context, race, clock, budget } = this.#options
    const ended = budget.ended.length
    const call = context.genericCall<AccountQuestion, AccountAnswer>({
      ...this.#address(accountHandlers.ask),
      parameter: { ...this.#news(), limits: budget.limits, isCounted: countsAsModelCall(effect) },
      inputSerde: serde.json,
      outputSerde: serde.json,
    })
    race.add(call, (answer, failure) => {
      clock.advance(answer?.at)
      this.#known = Math.max(this.#known, ended)
      const error = answer?.refusal ?? (failure && fromRestateError(failure, 'RESTATE_FAILED'))
      if (error !== undefined) refused(error)
      else if (effect.state === 'performing') granted()
      else refused(toErrorData(new CancelledError())) // let go of in the meantime
    })
  }

  /** Tells the usage where it has changed. The account of a run that has ended is closed. */
  turnEnded(hasEnded: boolean): void {
    const { context, request, budget } = this.#options
    if (hasEnded && request.part === undefined) {
      context.genericSend({
        ...this.#address(accountHandlers.close),
        parameter: null,
        inputSerde: serde.json,
      })
      return
    }
    if (JSON.stringify(budget.spent) === this.#told) return
    const parameter = this.#news()
    context.genericSend({ ...this.#address(accountHandlers.tell), parameter, inputSerde: serde.json })
  }

  #address(method: string): { readonly service: string; readonly method: string; readonly key: string } {
    const { namespace, request } = this.#options
    return { service: accountsOf(namespace), method, key: request.started.runId }
  }

  #news(): AccountNews {
    const { budget } = this.#options
    const { spent } = budget
    this.#told = JSON.stringify(spent)
    return { path: this.#path, number: this.#number++, spent, ended: budget.ended.slice(this.#known) }
  }
}
