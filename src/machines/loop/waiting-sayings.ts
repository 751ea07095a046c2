/** Messages of people that wait for a call of the model, as pure functions. */
import { event, type MachineEvent } from '../contract/events.ts'
import { mostSayings, type Saying } from '../contract/sayings.ts'
import { messageOf, type ScreeningInput } from '../screening/context.ts'
import { waitingSayings, type LoopChange, type LoopContext, type PassedSaying } from './changes/context.ts'
import { mustScreenSayings } from './changes/predicates.ts'

export interface SayingsChange {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
}

export function mayTakeSaying({ background }: LoopContext): boolean {
  return waitingSayings(background).length < mostSayings
}

export function takeSaying({ background }: LoopContext, saying: Saying): LoopChange {
  return { background: { ...background, sayings: [...background.sayings, saying] } }
}

export function screeningInput({ background, input }: LoopContext): ScreeningInput {
  const { id, hookErrors, hookTimeout, hooks, processors } = input.profile
  return {
    agent: id,
    task: input.task,
    sayings: background.sayings,
    processors: processors.input,
    scope: hooks.processInput ?? 'agent',
    hookErrors,
    hookTimeout,
  }
}

export function beginScreening({ background, verdict }: LoopContext): LoopChange {
  return {
    background: { ...background, screenings: background.screenings + 1 },
    verdict: { ...verdict, screening: undefined },
  }
}

/** Takes the judgements of the processors. A message that came meanwhile is still to be checked. */
export function takeScreened({ background, verdict }: LoopContext): SayingsChange {
  const judged = new Map((verdict.screening?.screened ?? []).map((screened) => [screened.id, screened]))
  const passed: PassedSaying[] = []
  const events: MachineEvent[] = []
  const sayings = background.sayings.filter((saying) => {
    const screened = judged.get(saying.id)
    if (screened?.outcome === 'passed') passed.push({ saying, messages: screened.messages })
    if (screened?.outcome === 'refused') {
      const { id, reason } = screened
      events.push(event('say-refused', { id, code: 'SIGNAL_TRIPPED', reason }))
    }
    return screened === undefined
  })
  return {
    change: { background: { ...background, sayings, passed: [...background.passed, ...passed] } },
    events,
  }
}

/** Moves the messages of people into the next prompt; with input processors those that have passed. */
export function hearSayings(context: LoopContext): SayingsChange {
  const { messages, background } = context
  const isHeld = mustScreenSayings(context)
  const heard = [...background.passed, ...(isHeld ? [] : background.sayings.map(asSaid))]
  if (heard.length === 0) return { change: {}, events: [] }
  return {
    change: {
      messages: messages.append(...heard.flatMap((one) => one.messages)),
      background: { ...background, sayings: isHeld ? background.sayings : [], passed: [] },
    },
    events: heard.map(({ saying: { id } }) => event('heard', { id })),
  }
}

function asSaid(saying: Saying): PassedSaying {
  return { saying, messages: [messageOf(saying)] }
}
