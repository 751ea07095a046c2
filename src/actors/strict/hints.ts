/**
 * Hints for keys that are unknown at a place: the names that other libraries have for an option of ours, and the function
 * whose option it is. What is said of a key must be true, so each hint looks at the keys that are known at its place.
 */
import { plainName, type Hint } from './plain-name.ts'

/** Names as others write them: without case, "_" and "-". By the name of ours that has the same meaning. */
const synonyms: Readonly<Record<string, string>> = {
  // agents
  instructions:
    'system systemprompt systemmessage systeminstruction systeminstructions prompt backstory persona statemodifier messagemodifier developerinstructions',
  id: 'name agentname toolname slug identifier title',
  description: 'handoffdescription goal role purpose summary whentouse',
  model: 'llm languagemodel modelname modelid chatmodel',
  tools: 'functions toolkit toolkits toolbox skills plugins actions',
  agents: 'subagents subagent members workers team crew participants delegates managedagents',
  handoffs: 'transfers handoffto canhandoffto destinations',
  structuredOutput:
    'outputtype outputschema responseformat responseschema responsemodel outputpydantic outputjson experimentaloutput output resulttype schema objectschema',
  maxSteps:
    'maxturns recursionlimit maxiter maxiterations maxloops maxtoolroundtrips maxroundtrips steplimit turnlimit',
  stopWhen: 'terminationcondition termination stopcondition stopconditions shouldstop stopwhenfn',
  completion: 'istaskcomplete taskcompletion evals validators',
  delegation: 'subagentcontext delegationoptions delegationhooks',
  onIterationComplete: 'oniterationend oniterationfinish oniteration',
  backgroundTasks: 'background tasks',
  memory: 'chathistory conversationmemory session',
  contextSchema: 'requestcontextschema contexttype depstype calloptionsschema',
  context: 'requestcontext runtimecontext deps experimentalcontext contextvariables runcontext',
  retries: 'maxretries retry retrypolicy maxattempts numretries maxretrylimit',
  toolCallConcurrency: 'paralleltoolcalls maxconcurrency concurrency maxparallel parallelism',
  onStepFinish: 'onstepend onstep onturnend onstepcomplete stepcallback onstepfinished',
  onFinish: 'onend onrunend ondone onfinished oncompletion taskcallback',
  inputProcessors: 'inputguardrails guardrails',
  outputProcessors: 'outputguardrails guardrail',
  budget: 'usagelimits tokenbudget costlimit',
  compaction: 'summarization summarizer contextmanagement trimming',
  modelTimeout: 'llmtimeout requesttimeout',
  // runs
  signal: 'abortsignal canceltoken cancellationtoken abortcontroller',
  threadId: 'thread sessionid chatid',
  resourceId: 'resource userid user actorid tenantid',
  runId: 'id invocationid workflowrunid',
  // delegation
  messageFilter: 'contextfilter inputfilter filter historyfilter filtermessages',
  onDelegationStart: 'onhandoff beforedelegation ondelegate ondelegationbegin',
  onDelegationComplete: 'afterdelegation ondelegationend ondelegationfinish ondelegationfinished',
  includeConversationHistory: 'includehistory sharehistory history inheritcontext',
  maxMessages: 'historylimit messagelimit lastmessages maxhistory',
  // completion
  scorers: 'checks evaluators metrics graders scorer judges',
  onComplete: 'onscoringcomplete onfinish ondone',
  // tools
  inputSchema:
    'parameters params args argsschema schema input inputs arguments jsonschema inputjsonschema zodschema',
  execute: 'func function fn run handler handle invoke call action implementation callback',
  requireApproval:
    'needsapproval requiresapproval approval confirm humanintheloop humaninput interruptbefore requireconfirmation',
  timeout: 'timeoutms timeoutseconds deadline',
  applicableStates: 'states availablestates',
  groups: 'toolgroups tags',
  // scorers and workflows
  score: 'fn run evaluate judge grade execute scorefn generatescore scorer',
  threshold: 'passthreshold minscore passingscore cutoff',
  logic: 'machine graph actor workflow steps execute',
  // troupes
  store: 'storage checkpointer checkpointsaver database db persistence saver backend journal',
  onError: 'onfailure errorhandler',
  around: 'middleware middlewares interceptors',
  inspect: 'inspector',
  // models
  baseURL: 'endpoint host apibase url openaiapibase',
  apiKey: 'key token apitoken openaiapikey',
  maxOutputTokens: 'maxtokens maxcompletiontokens maxnewtokens',
  reasoningEffort: 'reasoning effort thinking',
  stop: 'stopsequences stopwords',
  extraBody: 'provideroptions modelkwargs body',
  fetch: 'httpclient transport',
  // budgets, memory, compaction
  tokens: 'maxtokens tokenlimit totaltokens totaltokenslimit',
  cost: 'maxcost usd maxusd dollars costlimit',
  wallClock: 'timeout deadline duration maxduration maxtime',
  modelCalls: 'maxcalls requests requestlimit maxrequests',
  lastMessages: 'maxmessages limit window k messagehistory',
  window: 'contextwindow contextlength maxtokens maxinputtokens',
  at: 'threshold trigger ratio',
  // answers of hooks
  rejectionReason: 'reason rejectreason message',
  modifiedPrompt: 'prompt newprompt input',
  modifiedInstructions: 'instructions system',
  modifiedMaxSteps: 'maxsteps maxiterations',
  proceed: 'approved allow approve accept continue',
  feedback: 'message reason note',
  continue: 'proceed shouldcontinue goon',
  resultText: 'result text output answer',
}

let meanings: ReadonlyMap<string, readonly string[]> | undefined

/** The names of ours that a foreign name may mean, in the order of the table. */
function meant(key: string): readonly string[] {
  if (meanings === undefined) {
    const found = new Map<string, string[]>()
    for (const [ours, theirs] of Object.entries(synonyms)) {
      for (const name of theirs.split(' ')) found.set(name, [...(found.get(name) ?? []), ours])
    }
    meanings = found
  }
  return meanings.get(plainName(key)) ?? []
}

/** `it is called "inputSchema" here`, for a name that others have for an option of this place. */
export const otherName: Hint = (key, known) => {
  const name = nameOf(key, known)
  return name === undefined ? undefined : `it is called "${name}" here`
}

/** The name of ours, among these, that a foreign name means. */
export function nameOf(key: string, known: readonly string[]): string | undefined {
  return meant(key).find((name) => known.includes(name))
}

/** The options of functions that define other things than this place does. */
const elsewhere: Readonly<Record<string, string>> = {
  createTool:
    'execute inputSchema outputSchema requireApproval approvalTimeout onInterrupted applicableStates nextState groups strict background',
  createScorer: 'score threshold',
  createWorkflow: 'logic',
  createTroupe: 'store around inspect passivateAfter leaseTtl pollInterval retention',
  'the model, as in openai(modelId, options)':
    'temperature topP topK seed stop maxOutputTokens presencePenalty frequencyPenalty reasoningEffort apiKey baseURL api parallelToolCalls extraBody fetch',
  'agents, such as createAgent':
    'instructions model tools memory maxSteps stopWhen handoffs structuredOutput budget toolChoice inputProcessors outputProcessors onStepFinish onFinish',
  createSupervisor: 'agents completion delegation onIterationComplete bailStrategy backgroundTasks',
}

/** `it is an option of createTool`, for an option that another function has, by its own name or by one of others. */
export const optionElsewhere: Hint = (key) => {
  const functions = Object.entries(elsewhere).map(([of, names]) => [of, names.split(' ')] as const)
  const own = functions.find(([, names]) => names.includes(key))
  if (own !== undefined) return `it is an option of ${own[0]}`
  for (const [of, names] of functions) {
    const name = nameOf(key, names)
    if (name !== undefined) return `it is "${name}" of ${of}`
  }
  return undefined
}

/** The first of these hints that says something. */
/* @__NO_SIDE_EFFECTS__ */
export function firstOf(...hints: readonly Hint[]): Hint {
  return (key, known) => {
    for (const hint of hints) {
      const said = hint(key, known)
      if (said !== undefined) return said
    }
    return undefined
  }
}

/** Sentences about single keys, by their plain names. */
/* @__NO_SIDE_EFFECTS__ */
export function sayings(texts: Readonly<Record<string, string>>): Hint {
  return (key) => {
    const name = plainName(key)
    return Object.hasOwn(texts, name) ? texts[name] : undefined
  }
}

/** As `named`, and otherwise the function that has such an option. */
export const anyHint: Hint = /* @__PURE__ */ firstOf(otherName, optionElsewhere)
