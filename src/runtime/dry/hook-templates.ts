/** The answer with which a question about a hook begins: one that objects to nothing, and fits the outcome of the hook. */
import { effectSchemas, type EffectInput } from '../../actors/effects/effect-kinds.ts'
import type { HookName } from '../../actors/effects/effect-names.ts'
import type { Message } from '../../actors/message.ts'
import { jsonIn } from '../../actors/text/json-in.ts'
import { AppendLog } from '../../actors/values/append-log.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { toJsonValue } from '../../actors/values/to-json.ts'
import { shareable } from '../../machines/contract/conversation.ts'
import type { DelegationProfile } from '../../machines/contract/profile.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { describedParts } from '../engine/perform/hook.ts'

type Data = EffectInput<'hook'>['data']

type Template = (data: Data, agent: AgentDefinition) => unknown

const templates: Readonly<Record<HookName, Template>> = {
  onDelegationStart: () => ({ proceed: true }),
  messageFilter: (data) => shared(data, 'named'),
  onDelegationComplete: () => ({ bail: false }),
  onIterationComplete: () => ({ continue: true }),
  stopWhen: () => false,
  onStepFinish: () => null,
  onFinish: () => null,
  onComplete: () => null,
  requireApproval: () => false,
  requireDelegationApproval: () => false,
  approvePlan: () => false,
  validateArguments: () => ({ problem: null }),
  validateObject: ({ text }) => ({ problem: null, object: jsonIn(String(text)).at(0) ?? null }),
  // No function makes the parts here: what they gave to the run is not known.
  configure: (_, agent) => effectSchemas().hookOutcomes.configure.parse(describedParts(agent)),
  handoffFilter: (data) => shared(data, 'kept'),
  processInput: (data) => ({ messages: null, ...passed(data) }),
  processOutput: (data) => ({ text: String(data['text']), ...passed(data) }),
}

export function hookTemplate(
  { hook, data }: Pick<EffectInput<'hook'>, 'hook' | 'data'>,
  agent: AgentDefinition,
) {
  return toJsonValue(templates[hook](data, agent), 'the template') satisfies JsonValue
}

/** The messages of which a filter makes a choice. */
function shared({ messages, options }: Data, files: 'named' | 'kept'): readonly Message[] {
  if (!(messages instanceof AppendLog)) return []
  const { filterInternalMessages } = options as DelegationProfile
  return shareable(messages as AppendLog<Message>, filterInternalMessages, files)
}

/** The next processor is asked. */
function passed({ next }: Data) {
  return { next: Number(next) + 1, failure: null, tripwire: null }
}
