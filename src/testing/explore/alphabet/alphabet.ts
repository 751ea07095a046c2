/** The outcomes that each effect of an exploration may have: given by the options, or derived from the definitions. */
import type { ChatModel } from '../../../actors/chat-model.ts'
import type { HookName } from '../../../actors/effects/effect-names.ts'
import type { Settlement } from '../../../actors/effects/effect.ts'
import { effectSchemas, type EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { PriceTable } from '../../../actors/pricing.ts'
import { deepFreeze } from '../../../actors/values/frozen.ts'
import { lookUp, type Registry } from '../../../runtime/definition/registry.ts'
import { isKind, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import { readAnswer } from '../../../runtime/engine/perform/processor-answer.ts'
import type { OfferedOutcome } from '../world/choice.ts'
import type { HeldEffect } from '../world/held-effect.ts'
import type { RealCall, RealFunctions } from '../world/real-functions.ts'
import type { ThreadsOfRun } from '../world/threads.ts'
import {
  outcomesFor,
  repliesTo,
  sayRequestOf,
  type AlphabetOptions,
  type SayRequest,
} from './alphabet-options.ts'
import { derivedOutcomes, derivedSayings } from './derived.ts'
import { derivedRemoteSayings, remoteOutcomes, noSummary, replyOf, summaryOf } from './replies.ts'
import { answered, answers, quoted, type FunctionSaying, type ModelSaying } from './sayings.ts'

/** The outcomes of an effect that are known, and the calls of the user's functions that make the others known. */
export interface Offer {
  readonly outcomes: readonly OfferedOutcome[]
  readonly unasked: readonly RealCall[]
}

/** A call of the user's functions, and how its outcome is named. */
interface Asked {
  readonly call: RealCall
  readonly nameOf: (settlement: Settlement) => string
}

export interface AlphabetSubject {
  readonly registry: Registry
  readonly prices: PriceTable | undefined
  readonly functions: RealFunctions
}

export class Alphabet {
  readonly #options: AlphabetOptions
  readonly #subject: AlphabetSubject
  /** Sayings of the options that no request was offered yet. */
  readonly #unsaid: Map<ModelSaying, string>

  constructor(options: AlphabetOptions, subject: AlphabetSubject) {
    this.#options = options
    this.#subject = subject
    const said = Object.entries(options.say).flatMap(([agent, says]) =>
      typeof says === 'function' ? [] : says.map((saying) => [saying, `${agent} ${saying.name}`] as const),
    )
    this.#unsaid = new Map(said)
  }

  /** Given sayings that no request was ever offered, as `agent reply`. */
  get unsaid(): readonly string[] {
    return [...this.#unsaid.values()]
  }

  offerOf(held: HeldEffect, threads: ThreadsOfRun): Offer {
    const { effect } = held
    if (isKind(effect, 'model')) return this.#model(held, effect)
    if (isKind(effect, 'tool')) return known(this.#tool(effect))
    if (isKind(effect, 'hook')) {
      const { hook, agent } = effect.request.input
      const given = this.#options.hooks[hook]
      return given === undefined ? this.#real(held, `${hook} of ${agent}`) : known(given.map(hookOf(hook)))
    }
    if (isKind(effect, 'scorer')) {
      const { scorer } = effect.request.input
      const given = this.#options.scorers[scorer]
      return given === undefined ? this.#real(held, `the scorer ${scorer}`) : known(given.map(scoreOf))
    }
    if (isKind(effect, 'memory')) {
      if (effect.request.input.operation === 'partial')
        return known(partialAnswers(effect.request.input.agent))
      return known([
        { name: 'done', settlement: { value: threads.outcomeOf(effect.request.input, this.#leadsTo) } },
      ])
    }
    if (isKind(effect, 'compaction')) return this.#summary(held, effect)
    if (isKind(effect, 'remote')) return known(this.#remote(effect))
    if (isKind(effect, 'custom')) return this.#real(held, `the effect ${effect.request.input.name}`)
    const { kinds } = (effect as PendingEffect<'config'>).request.input
    const items = this.#options.config.filter(({ kind }) => kinds.includes(kind))
    return known([{ name: 'read', settlement: { value: { items } } }])
  }

  /** Successors that functions of the run name are not known. */
  readonly #leadsTo = (from: string, to: string): boolean => {
    const reached = new Set([from])
    for (const id of reached) {
      const successors = this.#subject.registry.get(id)?.handoffs?.agents() ?? {}
      for (const successor of Object.values(successors)) reached.add(successor.id)
    }
    return reached.has(to)
  }

  #model(held: HeldEffect, effect: PendingEffect<'model'>): Offer {
    const { input } = effect.request
    const { registry, prices } = this.#subject
    const toolset = input.toolset ?? lookUp(registry, input.agent).toolset
    const request = sayRequestOf(input, toolset)
    const replies = this.#sayings(request).map((saying) =>
      replyOf(saying, input, toolset.whole.names, prices),
    )
    if (input.outputProcessors === undefined) return known(replies)
    const screened = replies.map((reply): Asked => ({
      call: {
        key: `model:${effect.digest}:${JSON.stringify(reply.settlement)}`,
        name: `an output processor of ${input.agent}`,
        held,
        model: modelOf(reply.settlement),
      },
      nameOf: (settlement) => screenedName(reply, settlement),
    }))
    return this.#offered(screened)
  }

  /** A function of the user's writes the summary, or a model does. */
  #summary(held: HeldEffect, { request: { input } }: PendingEffect<'compaction'>): Offer {
    if (input.model === undefined) return this.#real(held, `compaction.summarize of ${input.agent}`)
    const { prices } = this.#subject
    return known([summaryOf(input.model, prices), ...(this.#options.failures ? [noSummary] : [])])
  }

  #sayings(request: SayRequest): readonly ModelSaying[] {
    const { say, failures, steps } = this.#options
    const given = say[request.agent]
    const all = given === undefined ? derivedSayings(request, failures) : repliesTo(given, request)
    const format = request.responseFormat?.name
    const decisions = all.filter((saying) => saying.format !== undefined && saying.format === format)
    const fitting =
      decisions.length > 0
        ? all.filter((saying) => saying.format === format || saying.says === 'error')
        : all.filter((saying) => saying.format === undefined)
    const isLast = request.toolChoice === 'none' || request.step > steps
    const offered = isLast
      ? fitting.filter((saying) => saying.says === 'error' || saying.calls.length === 0)
      : fitting
    for (const saying of offered) this.#unsaid.delete(saying)
    return offered.length > 0 ? offered : [answers(`The answer of ${request.agent}.`)]
  }

  /** A function of the user is asked as for a model without tools. */
  #remote({ request: { input } }: PendingEffect<'remote'>): readonly OfferedOutcome[] {
    if (input.operation !== 'follow') return remoteOutcomes(input, [])
    const { say, failures } = this.#options
    const { agent } = input
    const given = say[agent]
    const request: SayRequest = { agent, step: 1, messages: [], tools: [], toolChoice: 'none' }
    const sayings = given === undefined ? derivedRemoteSayings(agent, failures) : repliesTo(given, request)
    for (const saying of sayings) this.#unsaid.delete(saying)
    return remoteOutcomes(input, sayings)
  }

  #tool({ request: { input } }: PendingEffect<'tool'>): readonly OfferedOutcome[] {
    const { tools, failures } = this.#options
    const given = tools[input.tool]
    const agentTools = this.#subject.registry.get(input.agent)?.tools ?? {}
    const sayings =
      given === undefined
        ? derivedOutcomes(agentTools[input.tool], failures, agentTools)
        : outcomesFor(given, input.tool, input.args)
    return sayings.map((saying) => ({
      name: saying.name,
      settlement: saying.does === 'throws' ? { error: saying.error } : { value: saying.value },
    }))
  }

  #real(held: HeldEffect, name: string): Offer {
    const { kind, digest } = held.effect
    const call = { key: `${kind}:${digest}`, name, held }
    return this.#offered([{ call, nameOf: answered }])
  }

  #offered(asked: readonly Asked[]): Offer {
    const { functions } = this.#subject
    const outcomes = asked.flatMap(({ call, nameOf }) => {
      const settlement = functions.known(call.key)
      return settlement === undefined ? [] : [{ name: nameOf(settlement), settlement }]
    })
    return { outcomes, unasked: asked.flatMap(({ call }) => (functions.known(call.key) ? [] : [call])) }
  }
}

function known(outcomes: readonly OfferedOutcome[]): Offer {
  return { outcomes, unasked: [] }
}

/** The call was cut before any text of it came, or after some. */
function partialAnswers(agent: string): readonly OfferedOutcome[] {
  return [
    { name: 'no text', settlement: { value: null } },
    { name: 'some text', settlement: { value: { partialText: `The beginning of ${agent}` } } },
  ]
}

/** The reply, and the text that output processors have made of it. */
function screenedName({ name, settlement: said }: OfferedOutcome, settlement: Settlement): string {
  if (settlement.error !== undefined) return `${name}, throws (${settlement.error.code})`
  const text = textOf(settlement)
  return text === textOf(said) ? name : `${name}, becomes ${quoted(text)}`
}

function textOf({ value }: Settlement): string {
  return value === undefined ? '' : (value as EffectOutcome<'model'>).text
}

function hookOf(hook: HookName) {
  return (saying: FunctionSaying): OfferedOutcome => {
    if (saying.does === 'throws') return { name: saying.name, settlement: { error: saying.error } }
    const value = readAnswer(hook, effectSchemas().hookOutcomes[hook], saying.value)
    return { name: saying.name, settlement: { value: deepFreeze(value) as EffectOutcome<'hook'> } }
  }
}

function scoreOf(saying: FunctionSaying): OfferedOutcome {
  if (saying.does === 'throws') return { name: saying.name, settlement: { error: saying.error } }
  const value = readAnswer('The scorer', effectSchemas().effectKinds.scorer.outcome, saying.value)
  return { name: saying.name, settlement: { value: deepFreeze(value) } }
}

/** A model that gives one reply, for the processors that screen it. */
function modelOf({ value, error }: Settlement): ChatModel {
  return {
    provider: 'explored',
    modelId: 'explored',
    generate: () =>
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an outcome's error is data
      error === undefined ? Promise.resolve(value as EffectOutcome<'model'>) : Promise.reject(error),
  }
}
