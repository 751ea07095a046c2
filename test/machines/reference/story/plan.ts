/** The steps of a plan on a path: which are at work, done or failed, and whether the plan must change. */
import type { Outcome } from 'troupe/testing'

export interface Proposed {
  readonly id: string
  readonly toolHint?: string
  readonly args?: unknown
  readonly dependsOn?: readonly string[]
}

interface Step {
  readonly id: string
  readonly needs: readonly string[]
  readonly first: Child
  status: 'pending' | 'running' | 'complete' | 'failed' | 'skipped' | 'replaced'
  /** It is part of the plan in force. */
  isCurrent: boolean
  /** The child that is at work on it. */
  child: Child | 'review'
  isHeld: boolean
}

type Child = 'decision' | 'delegation' | 'call'

export class Plan {
  readonly #steps: Step[] = []
  readonly #places: number
  readonly #isReviewed: boolean
  #isAdopted = false
  /** A step has failed, or the model wants another plan: no other step begins. */
  mustChange = false
  isClosed = false

  constructor(places: number, isReviewed: boolean) {
    this.#places = places
    this.#isReviewed = isReviewed
  }

  get isAtWork(): boolean {
    return this.#running.length > 0
  }

  get isCarriedOut(): boolean {
    const isDone = this.#steps.every(({ status, isCurrent }) => status === 'complete' || !isCurrent)
    return this.#isAdopted && !this.mustChange && isDone
  }

  /** A step was tried. */
  get hasRun(): boolean {
    return this.#steps.some(({ status }) => status === 'complete' || status === 'failed')
  }

  mayAdopt(proposal: readonly Proposed[]): boolean {
    return this.#fitting(proposal) !== undefined
  }

  /** The steps that are not done; `undefined`: they are none, or could never all run. */
  #fitting(proposal: readonly Proposed[]): readonly Proposed[] | undefined {
    const done = new Set(this.#steps.flatMap(({ id, status }) => (status === 'complete' ? [id] : [])))
    const steps = proposal.filter(({ id }) => !done.has(id))
    return (steps.length === 0 ? done.size === 0 : !canAllRun(steps, done)) ? undefined : steps
  }

  /** Adopts the steps that are not done; `false`: they are none, or could never all run. */
  adopt(proposal: readonly Proposed[]): boolean {
    const steps = this.#fitting(proposal)
    if (steps === undefined) return false
    for (const step of this.#steps) {
      step.isCurrent = false
      if (step.status === 'pending') step.status = 'replaced'
    }
    this.#steps.push(...steps.map((step) => newStep(step)))
    this.#isAdopted = true
    this.mustChange = false
    return true
  }

  /** Begins the steps whose results are there, as places are free. */
  begin(): void {
    if (this.mustChange || this.isClosed) return
    const places = this.#places - this.#running.filter(({ isHeld }) => !isHeld).length
    const done = new Set(this.#steps.flatMap(({ id, status }) => (status === 'complete' ? [id] : [])))
    const ready = this.#steps.filter(
      ({ status, needs }) => status === 'pending' && needs.every((id) => done.has(id)),
    )
    for (const step of ready.slice(0, Math.max(0, places))) {
      step.status = 'running'
      step.child = step.first
    }
  }

  hold(child: string, isHeld: boolean): void {
    const step = this.#at(child)
    if (step !== undefined) step.isHeld = isHeld
  }

  take(child: string, outcome: Outcome): void {
    const step = this.#at(child)
    if (step === undefined) return
    step.isHeld = false
    if (step.child === 'review') this.#takeReview(step, outcome)
    else if (step.child === 'decision') this.#takeDecision(step, outcome)
    else this.#takeResult(step, ['is succeeded', 'succeeds'].includes(outcome.name))
  }

  get #running(): readonly Step[] {
    return this.#steps.filter(({ status }) => status === 'running')
  }

  #at(child: string): Step | undefined {
    const kind = child.replace(/:.*/, '')
    return this.#running.find((step) => (step.child === 'review' ? 'decision' : step.child) === kind)
  }

  /** The model answers the step itself, chooses a call for it, or finds it pointless. */
  #takeDecision(step: Step, { name }: Outcome): void {
    if (name === 'answers') this.#takeResult(step, true)
    else if (name === 'chooses a tool') step.child = 'call'
    else this.#change(step, name === 'sees no sense in it' ? 'skipped' : 'failed')
    // Nothing new begins when the time is up.
    if (this.isClosed && step.status === 'running') step.status = 'failed'
  }

  #takeResult(step: Step, succeeds: boolean): void {
    if (!succeeds) return this.#change(step, 'failed')
    const isAwaited = this.#steps.some(({ status }) => status === 'pending')
    if (this.#isReviewed && isAwaited && !this.mustChange && !this.isClosed) step.child = 'review'
    else step.status = 'complete'
  }

  #takeReview(step: Step, { name }: Outcome): void {
    step.status = 'complete'
    if (name === 'objects') this.mustChange = true
  }

  #change(step: Step, status: 'failed' | 'skipped'): void {
    step.status = status
    this.mustChange = true
  }
}

function newStep({ id, toolHint, args, dependsOn = [] }: Proposed): Step {
  const call = args === undefined ? 'decision' : 'call'
  const first = toolHint?.startsWith('agent-') === true ? 'delegation' : call
  return { id, needs: dependsOn, first, status: 'pending', isCurrent: true, child: first, isHeld: false }
}

/** No step needs a step that is unknown, or one that waits for it. */
function canAllRun(steps: readonly Proposed[], done: ReadonlySet<string>): boolean {
  const known = new Set(done)
  let waiting = steps
  for (;;) {
    const next = waiting.filter(({ dependsOn = [] }) => dependsOn.some((id) => !known.has(id)))
    if (next.length === waiting.length) return waiting.length === 0
    for (const { id } of waiting) if (!next.some((other) => other.id === id)) known.add(id)
    waiting = next
  }
}
