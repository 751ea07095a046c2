/** `routing`: what works on the task next, or is it done? */
import { selecting } from '../selection/selecting.ts'
import { selectionSetup } from '../selection/setup.ts'

const selection = selecting('router', '#handing')

export const routing = /* @__PURE__ */ selectionSetup.createStateConfig({
  ...selection,
  id: 'routing',
  description: 'What works on the task next, or is it done?',
  states: {
    ...selection.states,
    handing: {
      id: 'handing',
      always: [
        { guard: 'choseAgent', target: '#executing.agent' },
        { guard: 'choseWorkflow', target: '#executing.workflow' },
        { guard: 'choseTool', target: '#executing.tool' },
        { target: '#reviewing', actions: ['recordStep', 'announceStepFinish'] },
      ],
    },
  },
})
