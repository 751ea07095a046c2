import DefaultTheme from 'vitepress/theme-without-fonts'
import RunPlayer from './RunPlayer.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('RunPlayer', RunPlayer)
  },
}
