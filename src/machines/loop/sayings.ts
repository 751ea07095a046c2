/** Transitions for messages of people: an agent takes them while its model may still be called, and else refuses. */
import type { SayEvent, SayRefusal } from '../contract/sayings.ts'

export interface Said {
  readonly event: { readonly type: string }
}

const sayingOf = ({ event }: Said) => (event as SayEvent).saying

function refusal<const Code extends SayRefusal>(code: Code) {
  return {
    actions: {
      type: 'refuseSaying',
      params: ({ event }: Said) => ({ id: sayingOf({ event }).id, code }),
    },
  } as const
}

/** For the root of a chart whose model is called again and again. */
export const hearsSayings = {
  say: [
    { guard: 'mayTakeSaying', actions: { type: 'takeSaying', params: sayingOf } },
    refusal('SIGNAL_TOO_MANY'),
  ],
} as const

/** For the root of a chart without such a loop. */
export const hearsNoSayings = { say: refusal('SIGNAL_NOT_SUPPORTED') } as const

/** For the states of an agent that ends. */
export const tooLateForSayings = { say: refusal('SIGNAL_TOO_LATE') } as const
