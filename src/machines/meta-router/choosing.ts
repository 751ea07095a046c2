/** `identifyingTaskType` and `selectingPattern`: two decisions, each made by the model only where there is a choice. */
import { patternKind, taskTypeKind } from '../../actors/task-types.ts'
import { problemOf, valueOf } from '../loop/changes/decision-input.ts'
import { asking } from '../loop/states/asking.ts'
import { announceFailure } from '../loop/states/failing.ts'
import { output } from '../shared/params.ts'
import { metaRouterSetup } from './setup.ts'
import { patternQuestion, typeQuestion, unknownType, type RouteContext } from './work.ts'

const whyOf = ({ context }: { readonly context: RouteContext }) => ({ why: problemOf({ context }).message })

const announceUnknown = {
  type: 'announceError',
  params: ({ context }: { readonly context: RouteContext }) => unknownType(context),
} as const

const endUnknown = {
  type: 'end',
  params: ({ context }: { readonly context: RouteContext }) => ({
    outcome: 'failed' as const,
    error: unknownType(context),
  }),
} as const

interface IdentifyingTargets {
  /** The request names its pattern, or continues a conversation. */
  readonly named: string
  /** The type is known. */
  readonly known: string
  /** The request names a type that is not configured. */
  readonly failed: string
}

export function identifying(to: IdentifyingTargets) {
  const known = `#${to.known}` as const
  return metaRouterSetup.createStateConfig({
    description: 'Which of the configured types of task is it?',
    initial: 'choosing',
    states: {
      choosing: {
        description: 'A request that names its pattern, or continues a conversation, needs no choice.',
        always: [
          { guard: 'namesType', target: 'loading' },
          { guard: 'namesPattern', target: `#${to.named}`, actions: 'recordNamedPattern' },
          { guard: 'continuesConversation', target: `#${to.named}`, actions: 'recordConversation' },
          { target: 'loading' },
        ],
      },
      loading: {
        description: 'The configuration is read. It may change while the troupe runs.',
        invoke: {
          src: 'config',
          id: 'config',
          input: ({ context }) => ({
            agent: context.input.profile.id,
            kinds: [taskTypeKind, patternKind],
            timeout: context.input.profile.hookTimeout,
          }),
          onDone: { target: 'countingTypes', actions: { type: 'recordConfig', params: output } },
          onError: { target: 'countingTypes', actions: announceFailure },
        },
      },
      countingTypes: {
        description: 'Does the request name a type? Is there more than one?',
        always: [
          { guard: 'namesKnownType', target: known, actions: 'recordNamedType' },
          { guard: 'namesType', target: `#${to.failed}`, actions: [endUnknown, announceUnknown] },
          {
            guard: 'hasNoType',
            target: known,
            actions: { type: 'recordTypeFallback', params: { why: 'no task type is configured' } },
          },
          { guard: 'hasOneType', target: known, actions: 'recordOnlyType' },
          { target: 'asking' },
        ],
      },
      asking: asking(
        {
          question: typeQuestion,
          take: { type: 'recordType', params: valueOf },
          takeNone: { type: 'recordTypeFallback', params: whyOf },
        },
        { made: to.known, goesOn: to.known },
      ),
    },
  })
}

export function selectingPattern(to: { readonly selected: string }) {
  return metaRouterSetup.createStateConfig({
    description: 'Which of the patterns valid for its type is used?',
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Does the request name a pattern? Is there more than one?',
        always: [
          { guard: 'namesPattern', target: `#${to.selected}`, actions: 'recordNamedPattern' },
          { guard: 'hasOnePattern', target: `#${to.selected}`, actions: 'recordOnlyPattern' },
          { target: 'asking' },
        ],
      },
      asking: asking(
        {
          question: patternQuestion,
          take: { type: 'recordPattern', params: valueOf },
          takeNone: { type: 'recordPatternFallback', params: whyOf },
        },
        { made: to.selected, goesOn: to.selected },
      ),
    },
  })
}
