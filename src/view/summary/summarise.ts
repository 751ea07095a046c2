/** Folds the entries of a run into its summary: once through them, with what their events tell. */
import type { ErrorData, JournalEntry, RunEvent, Usage } from '../../index.ts'
import {
  asksAboutPlan,
  agentPath,
  defaultsOf,
  effectOf,
  entryUsage,
  isRecord,
  lastId,
  noUsage,
  placeOf,
  positiveInteger,
  readOptions,
  requesterOf,
  withDefault,
  type Fields,
} from '../../kit/index.ts'
import { endingOf, notesOf } from './ending.ts'
import type { Ended, Facts, Started, Told } from './facts.ts'
import { choicesOf, scoringOf } from './decisions.ts'
import { Failures, reasonOf } from './failures.ts'
import { Few } from './few.ts'
import { hookChanges } from './hook-changes.ts'
import { agentAt } from './places.ts'
import { Questions } from './questions.ts'
import { Spending } from './spending.ts'
import type {
  SummarisedEntry,
  Summary,
  SummaryChange,
  SummaryChoice,
  SummaryOptions,
  SummaryScoring,
} from './summary.ts'
import { lineOf, nameOf, textOf } from './texts.ts'
import { UnderWay } from './under-way.ts'

type Settled = Extract<JournalEntry, { readonly type: 'effect.settled' }>

const fields = { most: withDefault(positiveInteger, 100) } satisfies Fields<SummaryOptions>

/**
 * Returns the summary of a run by its entries, those of a trail or a part of it from the first entry on. It is a pure function;
 * its time grows with the entries. Without events, which a trail has, it tells less and says in `missing` what. Throws a
 * `ConfigurationError` for a wrong option.
 */
export function summarise(entries: Iterable<SummarisedEntry>, options: SummaryOptions = {}): Summary {
  const { most } = { ...defaultsOf(fields), ...readOptions<SummaryOptions>(options, 'summarise', fields) }
  const fold = new SummaryFold(most)
  for (const entry of entries) fold.add(entry)
  return fold.summary()
}

/** Errors of calls that were never made. */
const notMade: ReadonlySet<string> = new Set([
  'BUDGET_EXCEEDED',
  'STEPS_EXCEEDED',
  'ITERATIONS_EXCEEDED',
  'MODEL_NOT_PRICED',
  'USAGE_UNKNOWN',
])

class SummaryFold {
  readonly #most: number
  #entries = 0
  #updatedAt = 0
  /** The path of the journal of the root agent. */
  #root: string | undefined
  #started: Started | undefined
  #ended: Ended | undefined
  #hasEvents = false
  #isSuspended = false
  #cancel: Facts['cancel']
  #bailedAt: number | undefined
  #stoppedAt: number | undefined
  #failedDelegations = 0
  #nested = 0
  #finalTurns = 0
  readonly #models = new Map<string, string>()
  readonly #spending = new Spending()
  readonly #work = new UnderWay()
  readonly #questions = new Questions()
  readonly #steps = new Map<string, number>()
  readonly #cutOff = new Map<
    string,
    { readonly agent: string; readonly entry: number; readonly message: string }
  >()
  readonly #failures: Failures
  readonly #changes: Few<SummaryChange>
  readonly #choices: Few<SummaryChoice>
  readonly #scorings: Few<SummaryScoring>
  readonly #warnings: Told[] = []
  readonly #edits: Few<Told>
  readonly #cutAnswers: Few<Told & { readonly agent: string }>

  constructor(most: number) {
    this.#most = most
    this.#failures = new Failures(most)
    this.#changes = new Few(most)
    this.#choices = new Few(most)
    this.#scorings = new Few(most)
    this.#edits = new Few(most)
    this.#cutAnswers = new Few(most)
  }

  add({ journal, recorded, events, asked, actorsAdded = [], actorsEnded = [] }: SummarisedEntry): void {
    const entry = ++this.#entries
    this.#updatedAt = Math.max(this.#updatedAt, recorded.at)
    this.#root ??= journal
    if (events.length > 0) this.#hasEvents = true
    this.#addRecorded(entry, journal, recorded, asked)
    for (const event of events) this.#addEvent(entry, event)
    for (const { effect, key } of actorsAdded) {
      if (effect === undefined || key === undefined || effect === 'timer') continue
      this.#work.begin(entry, key, effect, recorded.at)
    }
    for (const { key } of actorsEnded) if (key !== undefined) this.#work.end(key)
  }

  // --- entries ------------------------------------------------------------------------------------------------------

  #addRecorded(
    entry: number,
    journal: string,
    recorded: JournalEntry,
    asked: SummarisedEntry['asked'],
  ): void {
    switch (recorded.type) {
      case 'run.started':
        if (this.#started !== undefined) return
        this.#started = recorded
        for (const [id, agent] of Object.entries(recorded.agents ?? {}))
          if (agent.model !== undefined) this.#models.set(id, agent.model)
        return
      case 'run.settled':
        if (journal === this.#root) this.#ended ??= recorded
        return
      case 'effect.started':
        return this.#work.begin(entry, recorded.key, recorded.kind, recorded.at)
      case 'effect.settled':
        return this.#addSettled(entry, recorded, asked)
      case 'signal.received':
        return this.#addSignal(entry, recorded.signal)
      case 'program.drifted':
        for (const { agent, part } of recorded.edits)
          this.#edits.add({ entry, text: `${lineOf(part)} of ${nameOf(agent)}` })
        return
      case 'run.restored':
      case 'timer.fired':
    }
  }

  #addSettled(entry: number, recorded: Settled, asked: SummarisedEntry['asked']): void {
    const { key, kind, settlement, at, startedAt, late, nested } = recorded
    this.#work.end(key)
    this.#nested += nested?.length ?? 0
    const path = requesterOf(key)
    if (late === true) return // the run had let go of it
    const code = settlement.error?.code ?? ''
    if (kind === 'model' || kind === 'compaction') {
      const isMade = !notMade.has(code)
      if (isMade && fieldsOf(asked)['finalTurn'] !== undefined) this.#finalTurns++
      const usage = entryUsage(recorded) ?? noUsage
      const model = calledIn(settlement.error ?? settlement.value)
      if (model !== undefined) this.#spending.called(path, model)
      const made = isMade ? { calls: 1, time: at - startedAt } : { calls: 0, time: 0 }
      this.#spending.add(entry, path, { usage, toolCalls: 0, ...made })
      if (code === 'BUDGET_EXCEEDED') this.#refused(entry, path, settlement.error)
    }
    if (kind === 'tool') {
      this.#spending.add(entry, path, { usage: noUsage, calls: 0, toolCalls: 1, time: at - startedAt })
    }
    if (kind === 'hook') this.#addHook(entry, recorded, asked)
    if (settlement.error !== undefined && !this.#hasEvents)
      this.#failEffect(entry, recorded, settlement.error)
  }

  #addHook(entry: number, { key, settlement }: Settled, asked: SummarisedEntry['asked']): void {
    const path = requesterOf(key)
    const hook = placeOf(lastId(effectOf(key)))
    const agent = agentAt(path)
    const { value: outcome, error } = settlement
    if (error !== undefined) {
      if (this.#hasEvents)
        this.#failures.add({ entry, kind: 'hook', agent, path, subject: hook, ...reasonOf(error) })
      return
    }
    const value: unknown = outcome
    const { proceed, rejectionReason, tripwire, continue: goesOn } = fieldsOf(value)
    if (hook === 'onDelegationStart' && proceed === false && !this.#hasEvents) {
      const subject = lastId(path)
      this.#failures.add({ entry, kind: 'rejection', agent, path, subject, reason: lineOf(rejectionReason) })
    }
    if (isRecord(tripwire)) {
      const subject = nameOf(tripwire['processor'])
      this.#failures.add({ entry, kind: 'hook', agent, path, subject, reason: lineOf(tripwire['reason']) })
    }
    if (hook === 'stopWhen' && value === true) this.#stoppedAt = entry
    if (hook === 'onIterationComplete' && goesOn === false) this.#stoppedAt = entry
    for (const change of hookChanges(hook, value, asked))
      this.#changes.add({ entry, agent, path, hook, ...change })
  }

  #addSignal(entry: number, signal: Extract<JournalEntry, { type: 'signal.received' }>['signal']): void {
    if (signal.type === 'cancel' && signal.delegationId === undefined) {
      this.#cancel = {
        entry,
        ...(signal.by === undefined ? {} : { by: nameOf(signal.by) }),
        ...(signal.reason === undefined ? {} : { reason: lineOf(signal.reason) }),
      }
    }
    if (signal.type !== 'answer') return
    const path = asksAboutPlan(signal.id) ? signal.id : requesterOf(signal.key)
    const { agent, changed } = this.#questions.answer(entry, path, signal)
    if (changed !== undefined) {
      this.#changes.add({ entry, agent, path, hook: 'answer', what: 'arguments', ...changed })
    }
  }

  // --- events -------------------------------------------------------------------------------------------------------

  #addEvent(entry: number, event: RunEvent): void {
    const { path, agent } = event
    switch (event.type) {
      case 'step-start':
        this.#steps.set(agentPath(path), event.payload.step)
        return
      case 'partial-answer':
        this.#cutAnswers.add({ entry, agent, text: lineOf(event.payload.text) })
        return
      case 'tool-call':
        this.#questions.called(path, event.payload.toolName, event.payload.args)
        return
      case 'tool-error': {
        const { outcome, error, toolName } = event.payload
        this.#questions.ended(path)
        if (outcome === 'cancelled') return
        const kind = outcome === 'denied' ? 'denial' : 'tool'
        const reason = error === undefined ? { reason: outcome } : reasonOf(error)
        this.#failures.add({ entry, kind, agent, path, subject: nameOf(toolName), ...reason })
        return
      }
      case 'tool-result':
        this.#questions.ended(path)
        return
      case 'tool-call-approval':
        this.#questions.called(event.payload.toolCallId, event.payload.toolName, event.payload.args)
        this.#questions.ask({ entry, at: event.at, agent }, { ...event.payload, type: 'approval' })
        return
      case 'tool-call-suspended':
        this.#questions.ask(
          { entry, at: event.at, agent },
          {
            ...event.payload,
            type: suspensionOf(event.payload.suspendPayload),
          },
        )
        return
      case 'tool-call-answered':
        return this.#questions.answered(entry, agent, event.payload)
      case 'delegation-start':
      case 'delegation-end':
      case 'delegation-rejected':
        return this.#addDelegation(entry, event)
      case 'delegation-bail':
        this.#bailedAt = entry
        return
      case 'routing-decision':
      case 'pattern-selected':
        for (const choice of choicesOf(entry, event, this.#most)) this.#choices.add(choice)
        return
      case 'scoring-complete':
        this.#scorings.add(scoringOf(entry, event))
        return
      case 'plan-step-end': {
        const { status, stepId, error } = event.payload
        if (status !== 'failed') return
        const reason = error === undefined ? { reason: status } : reasonOf(error)
        this.#failures.add({ entry, kind: 'step', agent, path, subject: nameOf(stepId), ...reason })
        return
      }
      case 'say-refused': {
        const { code, reason = code } = event.payload
        this.#failures.add({
          entry,
          kind: 'other',
          agent,
          path,
          subject: 'message',
          reason: lineOf(reason),
          code,
        })
        return
      }
      case 'error': {
        const { error, willRetry } = event.payload
        const { reason, code } = reasonOf(error)
        const kind = path === agentPath(path) && isModelError(code) ? 'model' : 'other'
        const subject = kind === 'model' ? 'model' : lastId(path)
        this.#failures.add({
          entry,
          kind,
          agent,
          path,
          subject,
          reason: willRetry ? `${reason} (tried again)` : reason,
          code,
        })
        return
      }
      case 'budget-warning': {
        const { limit, used, max, tenant, account } = event.payload
        const whose = tenant === undefined ? '' : `, of "${tenant}" (${account})`
        this.#warnings.push({ entry, text: `${used} of ${max} ${limitWords[limit] ?? limit}${whose}` })
        return
      }
      case 'suspended':
        this.#isSuspended = true
        for (const question of event.payload.awaiting)
          this.#questions.ask({ entry, at: event.at, agent: question.agent }, question)
        return
      case 'resumed':
        this.#isSuspended = false
        return
      default:
    }
  }

  #addDelegation(
    entry: number,
    event: Extract<RunEvent, { type: 'delegation-start' | 'delegation-end' | 'delegation-rejected' }>,
  ): void {
    const { path, agent: from, payload } = event
    const to = nameOf(payload.agentName)
    const known = this.#spending.delegation(entry, path)
    known.from = from
    known.to = to
    if (event.type === 'delegation-start') known.prompt = lineOf(event.payload.prompt)
    if (event.type === 'delegation-start') return
    known.endedAt = entry
    if (event.type === 'delegation-rejected') {
      known.outcome = 'rejected'
      known.reason = lineOf(event.payload.reason)
      this.#failures.add({ entry, kind: 'rejection', agent: from, path, subject: to, reason: known.reason })
      return
    }
    const { outcome, error, duration, hookError } = event.payload
    const isRejection = known.outcome === 'rejected'
    known.outcome = outcome
    if (duration !== undefined) known.duration = duration
    if (isRejection || outcome === 'succeeded' || outcome === 'bailed') return
    this.#failedDelegations++
    const failure = error ?? hookError
    const reason = failure === undefined ? { reason: outcome } : reasonOf(failure)
    known.reason = reason.reason
    this.#failures.add({ entry, kind: 'delegation', agent: from, path, subject: to, ...reason })
  }

  // --- failures and spending ----------------------------------------------------------------------------------------

  /** Of a run without events. */
  #failEffect(entry: number, { kind, key }: Settled, error: ErrorData): void {
    const path = requesterOf(key)
    const known = kind === 'tool' || kind === 'model' || kind === 'hook' ? kind : 'other'
    this.#failures.add({
      entry,
      kind: known,
      agent: agentAt(path),
      path,
      subject: lastId(effectOf(key)),
      ...reasonOf(error),
    })
  }

  #refused(entry: number, path: string, error: ErrorData | undefined): void {
    const agent = agentAt(path)
    if (!this.#cutOff.has(agent)) this.#cutOff.set(agent, { agent, entry, message: error?.message ?? '' })
  }

  // --- the summary --------------------------------------------------------------------------------------------------

  summary(): Summary {
    const facts = this.#facts()
    const { started, ended } = facts
    const { agents, total } = this.#spending.table(this.#models)
    const questions = Few.of(this.#questions.all, this.#most)
    const asking = new Set(facts.openQuestions.map(({ path }) => path))
    // A call that waits for a person stands among the questions.
    const works = facts.underWay.filter(({ kind, path }) => kind !== 'signal' || !asking.has(path))
    const underWay = Few.of(ended === undefined ? works : [], this.#most)
    const delegations = Few.of(facts.delegations, this.#most)
    const { currency } = started?.settings.budget ?? this.#rootBudget() ?? {}
    const answer = ended?.text ?? ''
    return {
      runId: started?.runId ?? '',
      agent: started?.agent ?? '',
      task: textOf(started?.task),
      entries: this.#entries,
      status: statusOf(facts),
      ...(ended === undefined ? {} : { outcome: ended.outcome }),
      startedAt: started?.at ?? 0,
      updatedAt: this.#updatedAt,
      ending: endingOf(facts),
      ...(answer === '' ? {} : { answer: textOf(answer) }),
      notes: notesOf(facts),
      failures: this.#failures.list.items,
      changes: this.#changes.items,
      choices: this.#choices.items,
      scorings: this.#scorings.items,
      questions: questions.items,
      underWay: underWay.items,
      agents,
      total,
      delegations: delegations.items,
      ...(currency === undefined ? {} : { currency: nameOf(currency) }),
      more: moreOf({
        failures: this.#failures.list,
        changes: this.#changes,
        choices: this.#choices,
        scorings: this.#scorings,
        questions,
        underWay,
        delegations,
      }),
      missing: this.#missing(total.usage),
    }
  }

  #rootBudget(): { readonly currency?: string } | undefined {
    const { agent = '', agents = {} } = this.#started ?? {}
    return Object.hasOwn(agents, agent) ? agents[agent]?.structure.settings.budget : undefined
  }

  #facts(): Facts {
    return {
      entries: this.#entries,
      started: this.#started,
      ended: this.#ended,
      lastFailures: this.#failures,
      delegations: this.#spending.delegations,
      counts: this.#failures.counts,
      failedDelegations: this.#failedDelegations,
      openQuestions: this.#questions.open,
      underWay: this.#work.all,
      isSuspended: this.#isSuspended,
      cancel: this.#cancel,
      cutOff: [...this.#cutOff.values()],
      steps: this.#steps,
      scoring: this.#scorings.last,
      bailedAt: this.#bailedAt,
      stoppedAt: this.#stoppedAt,
      warnings: this.#warnings,
      edits: this.#edits.items,
      cutAnswers: this.#cutAnswers.items,
      nested: this.#nested,
      finalTurns: this.#finalTurns,
    }
  }

  #missing(counted: Usage): readonly string[] {
    const missing: string[] = []
    if (this.#entries > 0 && this.#started === undefined)
      missing.push('The first entry is not here: the task is unknown.')
    if (this.#entries > 0 && !this.#hasEvents) {
      missing.push(
        'The run cannot be replayed here. Delegations, choices of routers, names of tools and texts before a hook are unknown.',
      )
    }
    const others = (this.#ended?.usage.totalTokens ?? counted.totalTokens) - counted.totalTokens
    if (others !== 0)
      missing.push(`The total of the run differs by ${others} tokens: other journals have them.`)
    if (counted.incomplete === true)
      missing.push('Some replies did not report their usage: the counts are too low.')
    return missing
  }
}

const limitWords: Readonly<Record<string, string>> = {
  modelCalls: 'model calls',
  wallClock: 'milliseconds',
  cost: 'of the cost',
}

function statusOf({ ended, isSuspended, openQuestions, entries }: Facts): Summary['status'] {
  if (ended !== undefined) return 'settled'
  if (entries === 0) return 'pending'
  return isSuspended && openQuestions.length > 0 ? 'suspended' : 'running'
}

function moreOf(
  lists: Readonly<Record<string, { readonly more: number }>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([name, { more }]) => (more === 0 ? [] : [[name, more] as const])),
  )
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** The model of a call, where its agent has several; read with care, since the journal may be a file. */
function calledIn(outcome: unknown): string | undefined {
  const { model } = fieldsOf(fieldsOf(outcome)['called'])
  return typeof model === 'string' ? model : undefined
}

function isModelError(code: string): boolean {
  return code !== 'HOOK_FAILED' && code !== 'HOOK_TIMEOUT'
}

function suspensionOf(payload: unknown): 'suspension' | 'interruption' {
  return isRecord(payload) && 'interrupted' in payload ? 'interruption' : 'suspension'
}
