/** Every example runs offline and shows what it promises; the research desk has a file of its own. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parsed } from '../support/prov.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { lines, offline, runExample } from './run-example.ts'

test('02-hello-agent', async () => {
  const { code, stdout, stderr } = await runExample('02-hello-agent')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    'Tool:    add_vat({"net":1249.9,"percent":19}) → {"gross":1487.38}',
    'Answer:  With 19 % VAT, 1249.90 comes to 1487.38.',
  ])
  expect(stdout).toMatch(/^Outcome: completed, 2 steps, \d+ tokens$/m)
})

test('03-bail', async () => {
  const { code, stdout, stderr } = await runExample('03-bail')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, withBail, withoutBail] =
    /^With bail: bailed by faq, (\d+) tokens$[^]*^Without bail: completed, (\d+) tokens$/m
      .exec(stdout)
      ?.map(Number) ?? []
  expect(withBail).toBeGreaterThan(0)
  expect(withoutBail).toBeGreaterThan(Number(withBail))
  expect(stdout).toContain(
    `The bail saved ${Number(withoutBail) - Number(withBail)} of ${withoutBail} tokens`,
  )
  expect(lines(stdout, /^ {2}\S/)).toEqual([
    '  Yes: unused goods can be sent back within 30 days. Use the label in the parcel; the postage is on us.',
    '  Thank you for your question! Yes: unused goods can be sent back within 30 days. Use the label in the parcel; the postage is on us. Is there anything else that we can do for you?',
  ])
})

test('04-inspector', async () => {
  const { code, stdout, stderr } = await runExample('04-inspector')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout).toMatch(/^Inspector: open http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/ in a browser\.$/m)
  expect(stdout).toContain(
    'Outcome: completed\nAnswer: Thank you for asking! We have 3 of the desk lamp. We have no armchair.\n',
  )
  expect(stdout).toContain('\nThe inspector received 16 actors, and the states that they went through:\n')
  const actors = lines(stdout, /→/).map((line) => line.trim().replace(/^run \S+/, 'run'))
  const agent = 'thinking.calling → acting.working → thinking.calling → completed'
  const clerk = (delegation: string) => [
    `shop/delegation:${delegation}  working.running → succeeded`,
    `shop/delegation:${delegation}/clerk  ${agent}`,
    `shop/delegation:${delegation}/clerk/call:1.1  executing → succeeded`,
    `shop/delegation:${delegation}/clerk/call:1.1/tool#1  active → done`,
    `shop/delegation:${delegation}/clerk/model#1  active → done`,
    `shop/delegation:${delegation}/clerk/model#2  active → done`,
  ]
  expect(actors.map((line) => line.replace(/ {2,}/, '  ')).toSorted()).toEqual(
    [
      'run  active → done',
      `shop  ${agent}`,
      'shop/model#1  active → done',
      'shop/model#2  active → done',
      ...clerk('1.1'),
      ...clerk('1.2'),
    ].toSorted(),
  )
  expect(stdout.slice(stdout.indexOf('\nand the definitions')).split('\n').slice(1, -1)).toEqual([
    'and the definitions of 4 statecharts:',
    '  supervisor: An agent that delegates to others, is reviewed and scored, and may be cut short by a bail.',
    '  delegation: One delegation to a subagent: authorised, run, reviewed; exactly one typed outcome.',
    '  react: An agent that thinks and acts until it has an answer or reaches a cap.',
    '  tool-call: One tool call: validated, approved, executed, retried; exactly one typed outcome.',
  ])
})

test('05-hooks', async () => {
  const { code, stdout, stderr } = await runExample('05-hooks')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, hooks = '', end = ''] = /as they are called:\n([^]*?)\n\n(Outcome[^]*)$/.exec(stdout) ?? []
  expect(hooks.split('\n').map((line) => line.trim().replace(/ {2,}/, '  '))).toEqual([
    '',
    'onStepFinish  step 1: calls agent-chef and agent-buyer',
    'onDelegationStart  chef: modified, the prompt gets "Two guests are vegan."',
    'onDelegationStart  buyer: rejected, there is no menu yet',
    'messageFilter  chef: is shown 1 of 2 messages, 1 is private',
    'onDelegationComplete  chef: succeeded, "Lobster rolls, artichokes for the vegans and lemon sorbet, for 45 euros a head."',
    'feedback to the planner: "That is too much: at most 20 euros a head."',
    'onIterationComplete  iteration 1: no objection',
    '',
    'onStepFinish  step 2: calls agent-chef',
    'onDelegationStart  chef: accepted as it is',
    'messageFilter  chef: is shown 1 of 2 messages, 1 is private',
    'onDelegationComplete  chef: succeeded, "Lentil soup, bread and plum cake, all of it vegan, for 14 euros a head."',
    'onIterationComplete  iteration 2: no objection',
    '',
    'onStepFinish  step 3: calls agent-buyer',
    'onDelegationStart  buyer: accepted as it is',
    'messageFilter  buyer: is shown 1 of 2 messages, 1 is private',
    'onDelegationComplete  buyer: succeeded, "Soup, bread and cake for 12 are ordered."',
    'onIterationComplete  iteration 3: no objection',
    '',
    'onStepFinish  step 4: "There will be lentil soup, bread and plum cake on Friday."',
    'onIterationComplete  iteration 4: feedback to the planner: "Say what it costs in total."',
    '',
    'onStepFinish  step 5: "There will be lentil soup, bread and plum cake on Friday, for 168 euros in total."',
    'onIterationComplete  iteration 5: no objection',
    'onFinish  completed after 5 steps',
  ])
  expect(end.split('\n')).toEqual([
    'Outcome: completed after 5 steps',
    'Answer: There will be lentil soup, bread and plum cake on Friday, for 168 euros in total.',
    '',
    'Once more, with stopWhen: this run ends as soon as there is an affordable menu.',
    '',
    'Outcome: stopped by stopWhen after 2 steps',
    'The last menu: Lentil soup, bread and plum cake, all of it vegan, for 14 euros a head.',
    '',
  ])
})

test('06-scoring', async () => {
  const { code, stdout, stderr } = await runExample('06-scoring')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, / {2}at [\d.]+$/).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['names-the-day', 'at 1'],
    ['is-short', 'at 0.8'],
    ['spelling', 'at 1'],
  ])
  // scorers are at work side by side: which of them answers first is not said
  expect(
    ['iteration 1', 'iteration 2', 'iteration 3'].map((iteration) => {
      const [, events = ''] = stdout.split(`  ${iteration}\n`)
      const [rows = ''] = events.split('\n\n')
      const said = (type: RegExp) => lines(rows, type).map((line) => line.trim().replace(/^\S+ +/, ''))
      return {
        results: said(/^ {2}scorer-result/).toSorted(),
        outcome: said(/^ {2}scoring-complete/),
        feedback: lines(rows, /^ {20,}-/).map((line) => line.trim()),
        end: said(/^ {2}iteration-end/),
      }
    }),
  ).toEqual([
    {
      results: [
        '✓ spelling: 1.00',
        '✗ is-short: 0.75 (It has 20 words, and 15 would do)',
        '✗ names-the-day: 0.00 (It does not say on which day the library opens)',
      ],
      outcome: ['failed'],
      feedback: [
        '- names-the-day: score 0. It does not say on which day the library opens',
        '- is-short: score 0.75. It has 20 words, and 15 would do',
      ],
      end: ['another iteration follows'],
    },
    {
      results: [
        '! spelling: errored, the spelling service does not answer',
        '✓ is-short: 0.94 (It has 16 words, and 15 would do)',
        '✓ names-the-day: 1.00',
      ],
      outcome: ['errored'],
      feedback: ['- spelling: could not be scored'],
      end: ['another iteration follows'],
    },
    {
      results: [
        '✓ is-short: 0.94 (It has 16 words, and 15 would do)',
        '✓ names-the-day: 1.00',
        '✓ spelling: 1.00',
      ],
      outcome: ['passed'],
      feedback: [],
      end: ['it was the last'],
    },
  ])
  expect(lines(stdout, /^(Outcome|Scorings|Answer): /)).toEqual([
    'Outcome: completed after 3 scorings',
    'Scorings: failed, errored, passed',
    'Answer: The library is closed for works on the roof. We open again on Monday at nine.',
  ])
})

test('07-nested-supervisors', async () => {
  const { code, stdout, stderr } = await runExample('07-nested-supervisors')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)

  // what each agent did, in its own order; agents at work side by side take turns as they like
  const said = new Map<string, string[]>()
  for (const line of lines(stdout, / (is asked|calls|is given|succeeded|completed)\b/)) {
    const [, indented = '', what = ''] = /^ {2}( *\S.*?) {2,}(.*)$/.exec(line) ?? []
    said.set(indented, [...(said.get(indented) ?? []), what])
  }
  expect(Object.fromEntries(said)).toEqual({
    festival: [
      'is asked: Organise a street festival for Saturday.',
      'completed: Come on Saturday! The Nine Horns play at five. The Quiet Four play at eight. There is potato soup, from potatoes at 4 euros a kilo.',
    ],
    '   music 1.1': [
      'is asked: Find two bands for Saturday, and say what the stage needs.',
      'succeeded: The Nine Horns play at five. The Quiet Four play at eight.',
    ],
    '      music 1.1 › scout 1.1': ['is asked: A brass band.', 'succeeded: The Nine Horns play at five.'],
    '      music 1.1 › scout 1.2': [
      'is asked: A string quartet.',
      'succeeded: The Quiet Four play at eight.',
    ],
    '      music 1.1 › technician 1.3': [
      'is asked: A stage for two bands.',
      'succeeded: The stage needs four microphones.',
    ],
    '   food 1.2': [
      'is asked: What will there be to eat?',
      'succeeded: There is potato soup, from potatoes at 4 euros a kilo.',
    ],
    '      food 1.2 › cook 1.1': [
      'is asked: One dish for everybody.',
      'calls price {"ingredient":"potatoes"}',
      'is given {"ingredient":"potatoes","euros":4}',
      'succeeded: There is potato soup, from potatoes at 4 euros a kilo.',
    ],
  })

  // tokens add up, by agent and by team
  const tokens = lines(stdout, /^ {2}\S+ +\d+ in +\d+ out$/).map((line) => line.trim().split(/\s+/))
  expect(tokens.map(([name = '']) => name).toSorted()).toEqual(
    ['cook', 'festival', 'food', 'food', 'music', 'music', 'scout', 'technician', 'total'].toSorted(),
  )
  const total = tokens.findIndex(([name]) => name === 'total')
  for (const column of [1, 3]) {
    const of = (rows: readonly string[][], ...names: string[]) =>
      rows.filter(([name = '']) => names.includes(name)).reduce((sum, row) => sum + Number(row[column]), 0)
    const [agents, teams] = [tokens.slice(0, total), tokens.slice(total + 1)]
    expect(of(teams, 'music')).toBe(of(agents, 'music', 'scout', 'technician'))
    expect(of(teams, 'food')).toBe(of(agents, 'food', 'cook'))
    expect(of(teams, 'food')).toBeGreaterThan(0)
    expect(Number(tokens[total]?.[column])).toBe(of(teams, 'music', 'food') + of(agents, 'festival'))
  }
})

test('08-structured-output', async () => {
  const { code, stdout, stderr } = await runExample('08-structured-output')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.slice(stdout.indexOf('The answers of the model')).split('\n')).toEqual([
    'The answers of the model, and what the check said, from the journal:',
    '  answer    {"supplier":"Bright & Sons","due":"14 September","items":[{"name":"desk lamp","euros":"89.90"}]}',
    '  check     sent back: due: Invalid ISO date',
    '            items.0.euros: Invalid input: expected number, received string',
    '  answer    {"supplier":"Bright & Sons","due":"2026-09-14","items":[{"name":"desk lamp","euros":89.9},{"name":"delivery","euros":6.5}]}',
    '  check     it has the shape',
    '',
    'The program, with `result.object`:',
    '  Pay Bright & Sons 96.40 euros for desk lamp and delivery, by Mon, 14 Sep 2026.',
    '',
  ])
})

test('09-workflow', async () => {
  const { code, stdout, stderr } = await runExample('09-workflow')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, baked, timedOut, cancelled] = stdout.split('\n\n').map((part) => part.trimEnd().split('\n'))
  const asked = [
    '  customer  A rye bread, please.',
    '  agent     recipes is asked: How long does rye bread take?',
    '  agent     recipes says: 50',
    '  call      bake {"bread":"rye bread","minutes":50}',
    '  oven      on',
    '  machine   heating',
  ]
  expect(baked).toEqual([
    'A loaf of bread:',
    ...asked,
    '  machine   baking',
    '  oven      off',
    '  machine   done',
    '  call      succeeded: {"loaf":"rye bread, baked for 50 minutes"}',
    'Outcome: completed',
    'Answer: Here is your rye bread, baked for 50 minutes.',
  ])
  expect(timedOut).toEqual([
    'The oven is broken, and the workflow has a timeout:',
    ...asked,
    '  oven      off',
    '  call      failed: The tool "bake" did not finish within 200 ms.',
    'Outcome: completed',
    'Answer: I am sorry, there is no rye bread today.',
  ])
  expect(cancelled).toEqual([
    'The oven is broken, and the run is cancelled while the machine waits for it:',
    ...asked,
    '  oven      off',
    '  call      cancelled',
    'Outcome: cancelled (The bakery closes.)',
  ])
})

test('10-testing-your-own', async () => {
  const { code, stdout, stderr } = await runExample('10-testing-your-own')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    'An agent, with a scripted model:',
    '  outcome      completed: Your 20 euros are on their way.',
    '  model calls  2, the second one told {"outcome":"refunded"}',
    '',
    'A machine: 11 paths. First stands the input, then what happens to it.',
    '  small → policy: forbids',
    '  small → policy: is down',
    '  small → policy: allows → bank: pays',
    '  small → policy: allows → bank: is down → bank: pays',
    '  small → policy: allows → bank: is down → bank: is down',
    '  large → policy: allows → deny',
    '  large → policy: forbids',
    '  large → policy: is down',
    '  large → policy: allows → approve → bank: pays',
    '  large → policy: allows → approve → bank: is down → bank: pays',
    '  large → policy: allows → approve → bank: is down → bank: is down',
    'Each ran on the real engine and was replayed. They took 9 of 9 transitions.',
    '',
    'A mistake in the machine: a guard says "<= 2" where it should say "< 2".',
    '  Found: The bank is asked three times.',
    '  at small → policy: allows → bank: is down → bank: is down',
    '',
    'A gap in the test: nobody has thought of a bank that is down.',
    '  Found: No path takes these transitions of "refund":',
    '  refund.paying: xstate.error.actor.bank [mayTryAgain] → refund.paying',
    '  refund.paying: xstate.error.actor.bank → refund.handedOver',
    '',
  ])
})

test('11-processors', async () => {
  const { code, stdout, stderr } = await runExample('11-processors')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, refund, lamp, shares] = stdout.split('\n\n').map((part) => part.trimEnd().split('\n'))
  expect(refund).toEqual([
    'Has the refund to 4111 1111 1111 1111 been made?',
    '  card-numbers          the model is told: Has the refund to [card] been made?',
    '  shown                 The amount went to your card. My colleague [address] can send you a receipt.',
    '  outcome               completed',
    expect.stringMatching(/^ {2}tokens {16}[1-9]\d*$/),
  ])
  expect(lamp).toEqual([
    'When will my lamp arrive?',
    expect.stringMatching(/^ {2}promises {14}stopped at: We guarantee/),
    '  shown                 It usually arrives the next day. Questions go to [address].',
    '  outcome               completed',
    expect.stringMatching(/^ {2}tokens {16}[1-9]\d*$/),
  ])
  expect(shares).toEqual([
    'Should I invest in your shares?',
    '  topic                 refused',
    '  shown                 nothing',
    '  outcome               tripped: We give no advice on investments.',
    '  tokens                0',
  ])
})

test('12-embedding', async () => {
  const { code, stdout, stderr } = await runExample('12-embedding')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.slice(stdout.indexOf('Monday')).split('\n')).toEqual([
    'Monday. A customer writes, and the app is closed while the desk is at work:',
    '  app       drafting',
    '  desk      is asked: Where is my lamp, order A-17? Yours, Ann',
    '  desk      asks clerk: Where is order A-17?',
    '  order     looks up A-17',
    '  desk      hears from clerk: Order A-17 left on Friday and arrives on Wednesday.',
    '',
    'The snapshot of the app has 1 kB: of the run it holds the id.',
    '',
    'Tuesday. The app is restored from its snapshot:',
    '  app       drafting',
    '  desk      asks writer: Tell the customer: Order A-17 left on Friday and arrives on Wednesday.',
    '  desk      hears from writer: Dear Ann, good news! Order A-17 left on Friday and arrives on Wednesday.',
    '  desk      completed',
    '  app       awaitingApproval',
    '  you       approve "Dear Ann, good news! Order A-17 left on Friday and arrives on Wednesday."',
    '  app       sending',
    '  app       sent',
    '',
    'Tested without a model: 11 paths take 8 of 8 transitions.',
    '',
  ])
})

test('13-background-and-budget', async () => {
  const { code, stdout, stderr } = await runExample('13-background-and-budget')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, ended, calledOff, spent] = stdout.split('\n\n').map((part) => part.trimEnd().split('\n'))
  const draft = '  editor                A draft: There will be a band on Saturday. I wait for the archive.'
  const costs = ['editor', 'reporter', 'archivist', 'all of them'].map(
    (who) => expect.stringMatching(new RegExp(`^  cost {18}${who} \\$0\\.000[0-9]*[1-9]`)) as string,
  )
  expect(ended).toEqual([
    'The archivist works in the background:',
    '  begins                archivist',
    draft,
    '  ends                  archivist: succeeded',
    '  editor                The spring fair is on Saturday, with a band. The first one was held in the rain of 1911.',
    '  outcome               completed',
    ...costs,
  ])
  expect(calledOff).toEqual([
    'The archive is closed, and the user calls the archivist off:',
    '  begins                archivist',
    draft,
    '  ends                  archivist: cancelled',
    '  editor                The spring fair is on Saturday, with a band. Bring an umbrella.',
    '  outcome               completed',
    ...costs,
  ])
  // The third call is over before the editor's draft, or just after.
  const warning = '  warning               3 of 4 model calls'
  expect(spent?.filter((line) => line.includes('warning'))).toEqual([warning])
  expect(spent?.filter((line) => line !== warning)).toEqual([
    'The whole team may call its model four times:',
    '  begins                archivist',
    draft,
    '  ends                  archivist: exhausted',
    '  editor                In short: the spring fair is on Saturday, with a band.',
    '  outcome               exhausted: budget',
    ...costs,
  ])
})

test('14-crash-and-resume', async () => {
  const { code, stdout, stderr } = await runExample('14-crash-and-resume')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, first, left, second, journal, bank, end] = stdout
    .split('\n\n')
    .map((part) => part.trimEnd().split('\n'))
  expect(first).toEqual([
    'Order A-17: one desk lamp, 89.90 euros, to be charged to the card.',
    '  worker 1  starts the run',
    '  worker 1  reserve: one desk lamp is put aside',
    '  worker 1  charge: asks the bank for 89.9 euros',
    '            SIGKILL: it is gone. The bank has booked; its answer reaches nobody.',
  ])
  expect(left).toEqual([
    'In the store: a run of "shop", running, 6 entries.',
    'The last of them: effect.started shop/call:2.1/tool#1. How far it came, nobody knows.',
  ])
  expect(second?.slice(1)).toEqual([
    '  worker 2  finds a run that is not finished, and goes on with it',
    '  worker 2  charge: asks the bank for 89.9 euros',
    '  worker 2  charge: the bank gives receipt 1',
    '  worker 2  ship: the parcel leaves, with receipt 1',
    '  worker 2  completed: The desk lamp is paid and on its way.',
  ])
  expect(journal?.slice(1).map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
    '0 run.started',
    '1 effect.settled model shop/model#1',
    '2 effect.started tool shop/call:1.1/tool#1',
    '3 effect.settled tool shop/call:1.1/tool#1',
    '4 effect.settled model shop/model#2',
    '5 effect.started tool shop/call:2.1/tool#1',
    '6 effect.settled tool shop/call:2.1/tool#1',
    '7 effect.started tool shop/call:2.1/tool#2',
    '8 effect.settled tool shop/call:2.1/tool#2',
    '9 effect.settled model shop/model#3',
    '10 effect.started tool shop/call:3.1/tool#1',
    '11 effect.settled tool shop/call:3.1/tool#1',
    '12 effect.settled model shop/model#4',
    '13 run.settled',
  ])
  expect(bank).toEqual([
    'The bank was asked:',
    '  89.9 euros, key shop/call:2.1: booked, receipt 1',
    '  89.9 euros, key shop/call:2.1: known: receipt 1 again, nothing is booked',
  ])
  expect(end?.[0]).toMatch(/^Outcome: completed, with [1-9]\d* tokens; a replay costs none\.$/)
})

test('15-approval-from-another-process', async () => {
  const { code, stdout, stderr } = await runExample('15-approval-from-another-process')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(2)).toEqual([
    'The process that has the run is waiting:',
    '  cashier   takes the case: Refund A-17, 120 euros, please.',
    '  cashier   asks: refund {"order":"A-17","euros":120}?',
    '  office    finds: refund {"order":"A-17","euros":120}',
    '  office    approves, by the id of the run',
    '  cashier   pays back 120 euros for A-17',
    '  cashier   completed: We have paid back 120 euros for A-17.',
    '',
    'The process that had the run is gone:',
    '  cashier   takes the case: Refund B-20, 900 euros, please.',
    '  cashier   asks: refund {"order":"B-20","euros":900}?',
    '  cashier   closes for today',
    '  office    finds: refund {"order":"B-20","euros":900}',
    '  office    denies; the run goes on here',
    '  office    completed: We cannot pay back B-20: it is older than a year.',
    '',
    'Each question is answered once:',
    '  office    is refused, SIGNAL_ALREADY_ANSWERED',
    '',
  ])
})

test('16-time-travel', async () => {
  const { code, stdout, stderr } = await runExample('16-time-travel')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout).toContain('\nAnswer: Take the train: it is 59 euros.\n')
  expect(lines(stdout, /^ +\d+ {2}\S/).map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
    '0 run.started planner',
    expect.stringMatching(/^1 effect\.settled model planner\/model#1 [1-9]\d* tokens$/),
    expect.stringMatching(
      /^2 effect\.settled model planner\/delegation:1\.1\/scout\/model#1 [1-9]\d* tokens$/,
    ),
    '3 effect.started tool planner/delegation:1.1/scout/call:1.1/tool#1',
    '4 effect.settled tool planner/delegation:1.1/scout/call:1.1/tool#1',
    expect.stringMatching(
      /^5 effect\.settled model planner\/delegation:1\.1\/scout\/model#2 [1-9]\d* tokens$/,
    ),
    expect.stringMatching(/^6 effect\.settled model planner\/model#2 [1-9]\d* tokens$/),
    expect.stringMatching(/^7 run\.settled [1-9]\d* tokens$/),
  ])
  const moments = stdout.slice(stdout.indexOf('How it was'), stdout.indexOf('What if')).split('\n')
  expect(moments).toEqual([
    'How it was before entry 4, and after it:',
    '  planner: acting.working',
    '    delegation:1.1: working.running',
    '      scout: acting.working',
    '        call:1.1: executing',
    '          tool: waited for',
    '',
    '  planner: acting.working',
    '    delegation:1.1: working.running',
    '      scout: thinking.calling',
    '        model: waited for',
    '',
    '',
  ])
  const cost = expect.stringMatching(
    /^ {2}It cost [1-9]\d* tokens more; [1-9]\d* were spent by the first run\.$/,
  )
  expect(stdout.slice(stdout.indexOf('What if')).split('\n')).toEqual([
    'What if the fares had been others? A fork shares entries 0 to 4, but not that outcome:',
    '  Answer: Take the plane: it is 140 euros, and the train 210.',
    cost,
    '',
    'What if they could not have been looked up?',
    '  Answer: I do not know the fares of today; ask again tomorrow.',
    cost,
    '',
    'The runs:',
    '  the first: 8 entries',
    '  another: 8 entries, a fork of the first',
    '  another: 8 entries, a fork of the first',
    '',
  ])
})

test('17-router', async () => {
  const { code, stdout, stderr } = await runExample('17-router')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /decision|gave/)).toEqual([
    'reception, decision 1: agent "planner", of planner, complaints',
    'trip-planner, decision 1: tool "weather", of writer, weather, costs, none',
    '  gave:    "Porto in April: 14 degrees, some rain."',
    'trip-planner, decision 2: workflow "costs", of writer, weather, costs, none',
    '  gave:    {"euros":360}',
    'trip-planner, decision 3: agent "writer", of writer, weather, costs, none',
    'trip-planner, decision 4: none "none", of writer, weather, costs, none',
  ])
  expect(stdout).toMatch(/^Outcome: completed, [1-9]\d* tokens$/m)
  expect(stdout).toContain(
    'Answer:  Three nights in Porto, in April: 14 degrees and some rain, so take a coat.',
  )
})

test('18-planner', async () => {
  const { code, stdout, stderr } = await runExample('18-planner')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^Revised/)).toEqual([
    'Revised: The step "museum" did not succeed (failed): {"error":"The tool \\"tickets\\" failed."}',
  ])
  const steps = lines(stdout, /^ {2}(begins|failed|complete)/).map((line) => line.trim().replace(/ +/, ' '))
  // The train and the museum run side by side: either may end first.
  expect(steps.slice(0, 4).toSorted()).toEqual([
    'begins museum',
    'begins train',
    'complete train: {"from":"Hamburg","to":"Lübeck","departs":"08:12","arrives":"09:40"}',
    'failed museum: The Harbour Museum is sold out.',
  ])
  expect(steps.slice(4)).toEqual([
    'begins other-museum',
    'complete other-museum: {"museum":"Salt Museum","entry":"11:00"}',
    'begins lunch',
    'complete lunch: "The Old Granary is next to the Salt Museum."',
    'begins schedule',
    'complete schedule: "08:12 train, 11:00 museum, 13:00 lunch."',
  ])
  expect(stdout).toContain('you have tickets for the Salt Museum at 11:00')
  expect(stdout).toContain('Outcome: completed, plan of revision 2')
})

test('19-fan-out', async () => {
  const { code, stdout, stderr } = await runExample('19-fan-out')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, first = '', second = '', end] = stdout.split('\n\n')
  const firstLines = first.split('\n').map((line) => line.trim().replace(/ {2,}/, '  '))
  expect(firstLines.slice(0, 6)).toEqual([
    'Round 1, as desk/round-1',
    'delegation:1.1  to finance: How sound are the finances of Tern & Sons?',
    'delegation:1.2  to legal: Are there sanctions against Tern & Sons?',
    'delegation:1.3  to press: What is written about Tern & Sons?',
    'delegation:1.4  to press: What do its owners do in their private lives?',
    'delegation:1.4  rejected: We do not look into private lives.',
  ])
  expect(firstLines.slice(6, -1).toSorted()).toEqual([
    'delegation:1.1  succeeded: Debts of 900000 euros stand against a turnover of 12000000.',
    'delegation:1.2  succeeded: No sanctions, and all licences are valid.',
    'delegation:1.3  succeeded: In 2023 a newspaper wrote of a lawsuit.',
  ])
  expect(firstLines.at(-1)).toBe('synthesis  without delegation:1.4')
  expect(second.split('\n').map((line) => line.trim().replace(/ {2,}/, '  '))).toEqual([
    'Round 2, as desk/round-2',
    'delegation:2.1  to legal: What became of the lawsuit of 2023?',
    'delegation:2.1  succeeded: The lawsuit of 2023 was withdrawn.',
    'synthesis  of all results',
  ])
  expect(end).toBe(
    'Outcome: completed after 5 delegations\nAnswer: Tern & Sons is a sound partner: few debts, and the lawsuit of 2023 was withdrawn. What its owners do in private was not looked into.\n',
  )
})

test('20-meta-router', async () => {
  const { code, stdout, stderr } = await runExample('20-meta-router')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, risk, summary, before, , after, , named] = stdout
    .split('\n\n')
    .map((part) => part.split('\n').map((line) => line.trim().replace(/ {2,}/, '  ')))
  const shop = '"Shall we open a shop in the harbour?"'
  const configured = 'general, risk-assessment, summarisation'
  expect(risk).toEqual([
    '"Assess the risk of Heron Ltd as a supplier."',
    `task-type  risk-assessment, of ${configured}`,
    'settled by: model (It asks how safe a supplier is.)',
    'pattern  supervisor, of supervisor, react',
    'settled by: model (Money and law can be looked into side by side.)',
    'answer  team: Heron Ltd is a safe supplier: it is solvent and in no lawsuit. We are fairly sure.',
  ])
  expect(summary?.slice(1)).toEqual([
    `task-type  summarisation, of ${configured}`,
    'settled by: model (There is a text to be shortened.)',
    'pattern  react, of react',
    'settled by: only candidate',
    'answer  the-analyst: The harvest was late.',
  ])
  expect(before).toEqual([
    shop,
    `task-type  general, of ${configured}`,
    'settled by: model (No other type fits.)',
    'pattern  react, of react, supervisor',
    'settled by: model (One analyst will do.)',
    'answer  the-analyst: A shop in the harbour would be seen by many.',
  ])
  expect(after).toEqual([
    shop,
    `task-type  decision, of ${configured}, decision`,
    'settled by: model (They must do it or leave it.)',
    'pattern  debate, of debate, react',
    'settled by: model (Much speaks for it, and much against it.)',
    'done when  There is a recommendation.',
    'answer  panel: Yes, for the summer; a rent of more than 900 euros would change my mind.',
  ])
  expect(named?.slice(0, 4)).toEqual([
    shop,
    'pattern  react, of react, supervisor, debate',
    'settled by: named by the request',
    'answer  the-analyst: A shop in the harbour would be seen by many.',
  ])
})

test('21-reflexion', async () => {
  const { code, stdout, stderr } = await runExample('21-reflexion')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, steps = '', end] = stdout.split('\n\n')
  expect(steps.split('\n').map((line) => line.trim().replace(/ {2,}/, '  '))).toEqual([
    'Step 1',
    'calls  expenses({"month":"January"})',
    'gets  {"month":"January","euros":80}',
    'objects  Fewer guests come in winter: look at a month in summer too.',
    'Step 2',
    'calls  expenses({"month":"July"})',
    'gets  {"month":"July","euros":140}',
    'is content  Both halves of the year are covered.',
    'Step 3',
    'says  We spend 1320 euros on coffee in a year.',
    'objects  It does not say that it is an estimate.',
    'Step 4',
    'says  About 1320 euros, if winter is like January and summer like July.',
    'is content  It says what it rests on.',
  ])
  expect(end).toMatch(
    /^Outcome: completed after 4 steps, [1-9]\d* tokens\nAnswer: {2}About 1320 euros, if winter is like January and summer like July\.\n$/,
  )
})

test('22-debate', async () => {
  const { code, stdout, stderr } = await runExample('22-debate')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, first, second, third, end] = stdout
    .split('\n\n')
    .map((part) => part.split('\n').map((line) => line.trim().replace(/ {2,}/, '  ')))
  // They speak side by side: any of them may be heard first.
  expect([first?.[0], ...(first?.slice(1).toSorted() ?? [])]).toEqual([
    'Proposals, independently of each other',
    'engineer  A bridge: it lasts for eighty years.',
    'ferryman  A ferry: it is how we live.',
    'treasurer  A ferry: a bridge costs four times as much.',
  ])
  expect([second?.[0], ...(second?.slice(1).toSorted() ?? [])]).toEqual([
    'Criticism, and proposals anew',
    'engineer  A bridge, but of wood: it lasts for forty years at half the price.',
    'ferryman  is not heard: The ferry leaves at six.',
    'treasurer  A wooden bridge, if the county pays a third.',
  ])
  expect(third).toEqual([
    'Reconciled',
    'chair  A wooden bridge, if the county pays a third. The ferryman disagrees, and was not heard to the end.',
  ])
  expect(end).toEqual(['Outcome: completed after 6 delegations', ''])
})

test('23-dispatcher', async () => {
  const { code, stdout, stderr } = await runExample('23-dispatcher')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const requests = stdout.split('\n\n').slice(1)
  expect(requests.map((part) => part.trim().split(/\n\s*/))).toEqual([
    [
      'Where is my parcel A-17?',
      'to:     tool track, of 3 (It names a parcel.)',
      'given:  {"parcel":"A-17"}',
      'answer: Parcel A-17 is in Hamburg.',
      'tokens: desk',
    ],
    [
      'What does a parcel to Norway cost?',
      'to:     agent prices, of 3 (It asks for a price.)',
      'given:  What does a parcel to Norway cost?',
      'answer: {"country":"Norway","euros":12}',
      'object: 12 euros to Norway',
      'tokens: desk and prices',
    ],
    [
      'It has been on its way for three weeks!',
      'to:     agent complaints, of 3 (The customer is angry.)',
      'given:  It has been on its way for three weeks!',
      'answer: We are sorry. Your parcel will be there tomorrow.',
      'tokens: desk and complaints',
    ],
  ])
})

test('24-handoff', async () => {
  const { code, stdout, stderr } = await runExample('24-handoff')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [said = '', end = ''] = stdout.split('\n\n')
  expect(said.split('\n').slice(1)).toEqual([
    'reception    → billing: A payment was made twice.',
    'billing~1/call:1.1 "Ada: 42 euros in May, charged twice."',
    'billing~1    → reception: The opening hours are left.',
    'reception~2  We open at nine. And the 42 euros for May are on their way back to you.',
  ])
  expect(end).toContain(
    'Outcome: completed by reception, 4 steps, by way of reception → billing → reception\n' +
      'Answer:  We open at nine. And the 42 euros for May are on their way back to you.\n',
  )
  expect(lines(end, /tokens$/)).toHaveLength(2)
})

test('25-partner-risk', async () => {
  using folder = temporaryFolder()
  const file = folder.file('risk.ttl')
  const { code, stdout, stderr } = await runExample('25-partner-risk', { args: [file] })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, investigation = '', assessment = '', reasons = '', written = ''] = stdout.split('\n\n')
  const told = investigation.split('\n').map((line) => line.trim().replace(/ {2,}/, '  '))
  expect(told.slice(0, 5)).toEqual([
    'A task of the type "risk-assessment", done as "supervisor"',
    'financial  Analyse the financial health and stability of Company X.',
    'legal  Review regulatory filings, sanctions and legal exposure of Company X.',
    'reputational  Analyse news sentiment and public reputation of Company X.',
    'operational  Assess supply chain dependencies and operational risks of Company X.',
  ])
  expect(told.slice(5, -1).toSorted()).toEqual([
    'failed  The processor "needs-source" refused: The finding names no source.',
    'succeeded  Few debts stand against much equity. [source: annual report 2025]',
    'succeeded  No sanctions; one lawsuit, about a warehouse. [source: commercial register]',
    'succeeded  Seven tenths of its grain come from one supplier. [source: supply chain database]',
  ])
  expect(told.at(-1)).toBe('synthesis  without 1 of the investigations')
  expect(assessment).toMatch(/^Outcome: completed\nA sound partner/)
  expect(lines(assessment, /\(confidence 0(\.\d)?\)/)).toHaveLength(4)
  expect(reasons).toMatch(/^Why\?\npartner-check \(completed\)\n/)
  expect(reasons).toContain('without investigator (failed)')
  expect(reasons).toContain('action: suppliers, of suppliers (model)')
  expect(reasons).toContain('chose pattern: supervisor, of supervisor | plan-then-execute | react (model')
  expect(reasons.trimEnd().split('\n').at(-1)).toBe(
    '  question: "Assess the risk profile of Company X as a potential partner"',
  )
  const [, statements] = /^(\d+) statements of provenance, written to/.exec(written) ?? []
  expect(parsed(await readFile(file, 'utf8'), 'Turtle')).toHaveLength(Number(statements))
})

test('26-exploring', async () => {
  const { code, stdout, stderr } = await runExample('26-exploring')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n').slice(0, 8)).toEqual([
    'A desk whose hook asks whether the clerk was asked:',
    '  complete: true, outcomes: completed',
    '  Broken: no refund before the check. It holds, and never should.',
    '    1. desk: calls clerk, payer',
    '    2. onDelegationStart of desk (delegation 1.2) answers {"proceed":true}',
    '    3. payer (desk 1.2): calls refund',
    '    4. a person approves: refund of payer (desk 1.2)',
    '    5. refund of payer (desk 1.2) returns {"receipt":"r-1"}',
  ])
  expect(stdout).toContain('\nsequenceDiagram\n  Note over desk: Refund order A-17.\n')
  expect(stdout).toContain('  Every rule holds, in every order.\n  5 of its paths were run')
})

test('27-exploring-a-machine', async () => {
  const { code, stdout, stderr } = await runExample('27-exploring-a-machine')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n').slice(0, 14)).toEqual([
    'With agents, once: the change is merged.',
    '',
    'With a fault, and the reviews in the order of their ids:',
    '  13 states, complete: true, ends: merged, sentBack, withdrawn',
    '  Every rule holds.',
    '',
    'With a fault, and the reviews in every order:',
    '  23 states, complete: true, ends: merged, sentBack, withdrawn',
    '  Broken: a change that the security review objects to is not merged.',
    '    1. style: approves',
    '    2. security: objects',
    '',
    'Without the fault, in every order:',
    '  23 states, complete: true, ends: merged, sentBack, withdrawn',
  ])
  const paths = stdout.slice(stdout.indexOf('Its 13 paths take 8 of 8 transitions.')).split('\n').slice(1)
  for (const order of [/security: .* → style: /, /style: .* → security: /]) {
    expect(paths.some((path) => order.test(path))).toBe(true)
  }
})

test('28-ai-sdk', async () => {
  const { code, stdout, stderr } = await runExample('28-ai-sdk')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [notice = '', ...told] = stdout.split('\n')
  expect(notice).toMatch(/^Offline: the real @ai-sdk\/openai, talking to a scripted model/)
  expect(told.slice(0, 6)).toEqual([
    "The agents' model: openai.chat/scripted",
    '→ agent-researcher {"prompt":"When is high water in Bergen?"}',
    '← agent-researcher "At 05:12 and at 17:40."',
    'High water in Bergen is at 05:12 and at 17:40.',
    '',
    expect.stringMatching(/^Tokens of all agents: [1-9]\d*$/),
  ])
  expect(told[6]).toMatch(/^The run: \{ runId: '[\w-]+', outcome: 'completed' \}$/)
})

test('29-mcp', async () => {
  const { code, stdout, stderr } = await runExample('29-mcp')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^ {2}\S/).map((line) => line.trim().replace(/ {2,}/, '  '))).toEqual([
    'timetable  {"trains":["8:10","14:25"]}',
    'book asks  Which seat to Oslo, 8:10?',
    'morning  ends: its connection and its server are gone',
    'completed  Done. Booked: Oslo, 8:10, window seat.',
    'booked  Oslo 8:10 window',
    'caller  hears: desk calls timetable',
    'caller  hears: desk calls book',
    "caller  hears: Fulfilling input required by 'tools/call' (round 1)",
    'caller  is asked: Which seat to Rome, 8:10?',
    'travel  Done. Booked: Rome, 8:10, aisle seat.',
    'caller  hears: desk calls timetable',
    'caller  hears: desk calls book',
    'caller  is asked: Which seat to Bergen, 8:10?',
    'travel  Done. Booked: Bergen, 8:10, aisle seat.',
  ])
})

test('30-files', async () => {
  const { code, stdout, stderr } = await runExample('30-files')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^ {2}\S/).map((line) => line.trim().replace(/ {2,}/, '  '))).toEqual([
    'the desk asks  analyst: What does it show?',
    'the analyst says  Sales rise, with one dip in the fourth month.',
    'completed  The analyst says: Sales rise, with one dip in the fourth month.',
    expect.stringMatching(/^the journal {2}names the picture by [0-9a-f]{8}…$/),
    expect.stringMatching(/^the store {2}has its \d{3} bytes$/),
  ])
})

test('31-watch', async () => {
  const { code, stdout, stderr } = await runExample('31-watch')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(2)).toEqual([
    'The page watches the run, which the office has:',
    expect.stringMatching(/^ +1 {2}harbour  starts$/),
    expect.stringMatching(/^ +\d+ {2}harbour  asks the pilot$/),
    expect.stringMatching(/^ +\d+ {2}pilot    has called measure$/),
    expect.stringMatching(/^ +\d+ {2}harbour  asks a person: admit \{"ship":"Aurora","berth":4\}\?$/),
    '',
    'The page does not have the run:',
    '  resume is refused, RUN_OWNED',
    '',
    'The page is opened again, and goes on behind the cursor:',
    expect.stringMatching(/^ +\d+ {2}harbour  has called admit$/),
    expect.stringMatching(/^ +\d+ {2}harbour  is completed$/),
    '',
    'Its text: The Aurora may enter berth 4, which is 9 metres deep.',
    '',
  ])
})

test('36-otel', async () => {
  const { code, stdout, stderr } = await runExample('36-otel')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout).toContain('\nTraces: 1\n')
  expect(stdout.slice(stdout.indexOf('  POST /refunds')).split('\n')).toEqual([
    '  POST /refunds',
    '    invoke_agent desk (suspended)',
    '      chat scripted',
    '      invoke_agent clerk (succeeded)',
    '        chat scripted',
    '        execute_tool look-up',
    '          SELECT orders',
    '        chat scripted',
    '      chat scripted',
    '    invoke_agent desk (completed)',
    '      execute_tool pay-back',
    '      chat scripted',
    '',
    'Metrics:',
    '  gen_ai.client.inference.duration, in s: 1 series',
    '  gen_ai.client.inference.time_to_first_chunk, in s: 1 series',
    '  gen_ai.invoke_agent.duration, in s: 3 series',
    '  gen_ai.invoke_agent.inference_calls, in {inference_call}: 3 series',
    '  gen_ai.invoke_agent.tool_calls, in {tool_call}: 3 series',
    '  gen_ai.execute_tool.duration, in s: 2 series',
    '  gen_ai.client.inference.usage.input_tokens, in {token}: 1 series',
    '  gen_ai.client.inference.usage.output_tokens, in {token}: 1 series',
    '  gen_ai.client.inference.usage.cache_read.input_tokens, in {token}: 1 series',
    '  gen_ai.client.inference.usage.cache_write.input_tokens, in {token}: 1 series',
    '  gen_ai.client.inference.usage.reasoning.output_tokens, in {token}: 1 series',
    '  gen_ai.client.inference.operation.input_tokens, in {token}: 1 series',
    '  gen_ai.client.inference.operation.output_tokens, in {token}: 1 series',
    '',
  ])
})

test('33-inspector', async () => {
  const { code, stdout, stderr } = await runExample('33-inspector')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout).toMatch(/^Inspector: open http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43} in a browser\.$/m)
  expect(stdout).toContain('It waits: may payer pay {"to":"Harbour Paper","euros":480}?\n')
  expect(stdout).toContain('Outcome: completed\nAnswer: Invoice 17 is settled.\n')
  expect(stdout).toMatch(/^The page shows \d+ entries/m)
})

test('34-http', async () => {
  const { code, stdout, stderr } = await runExample('34-http')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(2).filter(Boolean)).toEqual([
    'Ann starts a run, twice, since the first answer is lost:',
    '  201',
    '  200',
    'She follows it, and her connection breaks at the question:',
    '  find: {"train":"IC 17","to":"Bergen","leaves":"09:12","euros":39}',
    '  may it book {"train":"IC 17","seat":"window"}?',
    'Ben does not see her run:',
    '  404, {"items":[]}',
    'Ann takes another seat, and follows from where she was:',
    '  answered by ann',
    '  book: {"train":"IC 17","seat":"aisle","place":"61B"}',
    'Your seat to Bergen is booked: train IC 17 at 09:12.',
    'Outcome: completed',
  ])
})

test('35-views', async () => {
  const { code, stdout, stderr } = await runExample('35-views')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const [, asking = '', end = '', last = ''] = stdout.split('\n\n')
  const tree = (text: string): string[] =>
    text
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  const before = [
    'kitchen',
    'asks: What do leeks and potatoes cost? succeeded',
    'buyer',
    'price {"of":"leeks"} succeeded → {"of":"leeks","euros":3}',
    'price {"of":"potatoes"} succeeded → {"of":"potatoes","euros":2}',
    '"Leeks cost 3 euros a kilo, potatoes 2."',
  ]
  expect(tree(asking)).toEqual([
    expect.stringMatching(/^suspended, [1-9]\d* tokens$/),
    ...before,
    'order {"leeks":4,"potatoes":6} waiting',
  ])
  expect(tree(end)).toEqual([
    expect.stringMatching(/^settled, [1-9]\d* tokens$/),
    ...before,
    'order {"leeks":4,"potatoes":6} succeeded → "It comes at noon."',
    '"Soup for forty is on the menu: 24 euros of leeks and potatoes come at noon."',
  ])
  expect(last).toMatch(/^\d+ views; a replay gives the same tree\.\n$/)
})

test('32-trail', async () => {
  const { code, stdout, stderr } = await runExample('32-trail')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout).toContain('\nAnswer: Your parcel is lost. You get your 40 euros back.\n')
  const entries = stdout.slice(stdout.indexOf('What each entry'), stdout.indexOf('Why the first')).split('\n')
  expect(entries.slice(1, 11)).toEqual([
    '   0  run.started',
    '        desk starts',
    '        desk: preparing → thinking',
    '   1  effect.settled  desk/model#1',
    '        desk/delegation:1.1 starts',
    '        desk: thinking → acting',
    '        desk/delegation:1.1: authorising',
    '   2  effect.settled  desk/delegation:1.1/hook:onDelegationStart#1',
    '        desk/delegation:1.1: authorising → rejected',
    '        desk: acting → reviewing → deciding → thinking',
  ])
  expect(lines(stdout, /^ {2}entry /)).toEqual([
    expect.stringMatching(/^ {2}entry 1: .*, because hasStartHook\. onDelegationStart may modify or reject/),
    expect.stringMatching(/^ {2}entry 2: \S+ → rejected, because isRejected\.$/),
  ])
  expect(stdout).toMatch(/"acting":"working"\} \{"thinking":"calling"\} "completed"\n$/)
})

test('38-evals', async () => {
  const { code, stdout, stderr } = await runExample('38-evals')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^\| (Sunday|Monday|all) /).map((line) => line.replace(/ \|[^|]*\|$/, ''))).toEqual([
    '| Sunday | yes | completed | 0.71 | 0.60',
    '| Monday | no | completed | 0.65 | 0.00',
    '| all | 1 of 2 |  | 0.68 | 0.30',
    '| Sunday | yes | completed | 0.71 | 0.60',
    '| Monday | yes | completed | 1.00 | 0.60',
    '| all | 2 of 2 |  | 0.86 | 0.60',
  ])
  expect(stdout).toContain('less than 0.6: The expert says closed, the submission says open.')
  expect(lines(stdout, /^ {2}(failed|passed): /)).toEqual([
    '  failed: names-the-entrance: It does not say which entrance is open.',
    '  passed: names-the-entrance: It names the garden entrance.',
  ])
  expect(stdout).toContain('Outcome: completed\nAnswer: The main entrance is closed until May. Please use')
})

test('37-a2a', async () => {
  const { code, stdout, stderr } = await runExample('37-a2a')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(2)).toEqual([
    'The card: Lets ships into the harbour.',
    '',
    'May the Aurora enter?',
    '  WORKING',
    '  WORKING         harbour-office calls depth',
    '  WORKING         harbour-office calls admit',
    expect.stringMatching(
      /^ {2}INPUT_REQUIRED {2}The agent "harbour-office" wants to call admit .* Answer yes or no\.$/,
    ),
    '',
    'yes',
    '  WORKING',
    '  answer          The Aurora may enter berth 4, which is 9 metres deep.',
    '  COMPLETED',
    '',
    'The task has the id of the run, whose outcome is: completed',
    '',
  ])
})

test('39-remote-agent', async () => {
  const { code, stdout, stderr } = await runExample('39-remote-agent')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^ {2}\S/)).toEqual([
    '  the harbour asks: may I admit {"ship":"Aurora","berth":4}?',
    '  harbour: succeeded: The Aurora may enter berth 4, which is 9 metres deep.',
    '  Good news. The harbour says: The Aurora may enter berth 4, which is 9 metres deep.',
  ])
  expect(stdout).toContain('The harbour has worked on 1 task, whose outcome is: completed')
})

test('40-support-desk', async () => {
  const { code, stdout, stderr } = await runExample('40-support-desk')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout).toMatch(/^Support desk: open http:\/\/127\.0\.0\.1:\d+\/ in a browser\.$/m)
  expect(lines(stdout, /^(ann|desk|sam|approved)\b/)).toEqual([
    'ann: The lamp of order A-17 is broken.',
    'desk: may I refund {"number":"A-17","euros":45}?',
    'ann approves it herself: 403',
    'sam approves it: 204',
    'approved by sam',
    'desk: I am sorry about order A-17. The money is on its way to you, and you may keep the parcel.',
  ])
  expect(stdout).toContain('Task: The lamp of order A-17 is broken.')
  expect(stdout).toMatch(/approved at entry \d+, by\s+sam/)
})

test('43-own-adapter', async () => {
  const { code, stdout, stderr } = await runExample('43-own-adapter')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const key = 'buy-1/broker/chart:1/order#1'
  expect(stdout).toBe(
    [
      'The first process asks for the price of ACME.',
      `The first process orders ACME as ${key}.`,
      `The second process orders ACME as ${key}.`,
      '',
      'completed: Order 1: one share of ACME.',
      '',
      'The journal has 4 entries. Its events:',
      'run-start, step-start, text-start, text-delta, text-end, step-finish, run-finish',
      '',
    ].join('\n'),
  )
})

test('44-code-mode', async () => {
  const { code, stdout, stderr } = await runExample('44-code-mode')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.slice(stdout.indexOf('approved'))).toBe(
    [
      'approved  order {"item":"flour","units":7}',
      'denied    order {"item":"sugar","units":3}',
      'approved  order {"item":"yeast","units":9}',
      '',
      'Done. This is what the program answered: {"short":["flour","sugar","yeast"],"ordered":[{"item":"flour","units":7},{"item":"yeast","units":9}]}',
      '',
      '2 model calls, 7 calls of tools.',
      '',
    ].join('\n'),
  )
})

test('45-from-mastra', async () => {
  const { code, stdout, stderr } = await runExample('45-from-mastra')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(1)).toEqual([
    'Asks:    research-agent',
    'Calls:   agent-researcher',
    '         and that a tool',
    'Scored:  not complete',
    'Asks:    writing-agent',
    'Calls:   agent-writer',
    'Scored:  complete',
    'Answer:  The tides come twice a day, and the moon pulls them [1].',
    'Finish:  stop',
    'Replay:  completed, by research-agent, writing-agent, without a model call',
    '',
  ])
})

test('46-tenants', async () => {
  const { code, stdout, stderr } = await runExample('46-tenants')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(2)).toEqual([
    'ann:',
    '  first worker, "tide": la marée',
    '  second worker, "ebb": le reflux',
    '  first worker, "flood": exhausted: the day is used up',
    '  second worker, "shore": exhausted: the day is used up',
    '',
    'acme:',
    '  first worker, "tide": la marée',
    '  second worker, "ebb": le reflux',
    '  first worker, "flood": le flux',
    '  second worker, "shore": le rivage',
    '',
    'ann has used 2 of 2 calls of today.',
    '',
  ])
})

test('51-schedules', async () => {
  const { code, stdout, stderr } = await runExample('51-schedules')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(1)).toEqual([
    'ann sleeps: {"until":"2026-03-30T09:00:00Z","reason":"the bill"}',
    'ben sleeps: {"until":"2026-03-30T09:00:00Z","reason":"the bill"}',
    'ben: It was paid: I send no reminder.',
    'report.2026-03-28T08-00-00.000Z: The report of the day. Next: 2026-03-29T07:00:00.000Z',
    'report.2026-03-29T07-00-00.000Z: The report of the day. Next: 2026-03-30T07:00:00.000Z',
    'report.2026-03-30T07-00-00.000Z: The report of the day. Next: 2026-03-31T07:00:00.000Z',
    'ann: Three days are over: I have sent a reminder.',
    '',
  ])
})

test('52-talking-evals', async () => {
  const { code, stdout, stderr } = await runExample('52-talking-evals')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^The .* desk|^ {2}\S/)).toEqual([
    'The eager desk, gates do not hold:',
    '  Customer: My lamp is broken, I want my money back.',
    '  Desk:     I have paid back order B-1.',
    'The careful desk, gates hold:',
    '  Customer: My lamp is broken, I want my money back.',
    '  Desk:     Which order is it?',
    '  Customer: It is order A-17.',
    '  Desk:     I have paid back order A-17.',
  ])
  expect(stdout).toContain('| lamp | no → yes | completed | 0.00 → 1.00 | 72 → 124 |')
  expect(stdout).toContain('- lamp: the call refund {"order":"B-1"} is made no more.')
})

test('47-plan-approval', async () => {
  const { code, stdout, stderr } = await runExample('47-plan-approval')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(2)).toEqual([
    'May this plan be carried out?',
    '              flight: Book the flight.',
    '              museum: Book the Salt Museum.',
    '',
    'May this plan be carried out?',
    '              train: Book the train.',
    '              museum: Book the Salt Museum.',
    '',
    '  complete    train: "3 × train"',
    '  complete    museum: "3 × Salt Museum"',
    '',
    'Answer:  Three of you go by train, and the Salt Museum is booked.',
    'Outcome: completed',
    '',
  ])
})

test('48-partial-answer', async () => {
  const { code, stdout, stderr } = await runExample('48-partial-answer')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    'cancelled: "Once, a lamp was lit on the pier, and "',
    '  user: Tell me of the lighthouse.',
    '  assistant (partial): Once, a lamp was lit on the pier, and ',
    '',
    'The model reads: ["Tell me of the lighthouse.","Once, a lamp was lit on the pier, and \\n\\n[This answer was cut here.]","Go on."]',
    '',
    'completed: and a ship came home.',
    '',
  ])
})

test('49-skills', async () => {
  const { code, stdout, stderr } = await runExample('49-skills')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(stdout.split('\n').slice(2)).toEqual([
    expect.stringMatching(/^ {2}load-skill {10}[\da-f]{8} {2}beside it: references\/ports\.md$/),
    expect.stringMatching(/^ {2}read-skill-file {5}[\da-f]{8}$/),
    '',
    'Answer:  Pass at 04:10: the bar has 6.2 m, and you need 5.5 m.',
    'Outcome: completed',
    '',
  ])
})

test('50-recall', async () => {
  const { code, stdout, stderr } = await runExample('50-recall')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  const answers = [
    '              Your note says: The spare key of the boat hangs behind the clock.',
    '              There is no note on that.',
  ]
  expect(stdout.split('\n').slice(2)).toEqual([
    ...['SQLite  ', 'Postgres'].flatMap((store) => [
      `  ${store}    found n1`,
      answers[0],
      `  ${store}    found nothing`,
      answers[1],
    ]),
    '',
  ])
})
