const call = "window.hit=1";
const shapes = [
  (js: string) => `<script>${js}</script>`,
  (js: string) => `"><script>${js}</script>`,
  (js: string) => `'><img src=x onerror=${js}>`,
  (js: string) => `"><img src=x onerror=${js}>`,
  (js: string) => `<svg onload=${js}>`,
  (js: string) => `<svg><script>${js}</script></svg>`,
  (js: string) => `<math><mtext></mtext><script>${js}</script></math>`,
  (js: string) => `</title><script>${js}</script>`,
  (js: string) => `</textarea><script>${js}</script>`,
  (js: string) => `</option></select><img src=x onerror=${js}>`,
  (js: string) => `" autofocus onfocus="${js}`,
  (js: string) => `' onmouseover='${js}`,
  (js: string) => `javascript:${js}`,
  (js: string) => `JaVaScRiPt:${js}//`,
  (js: string) => `\u0001javascript:${js}`,
  (js: string) => `data:text/html,<script>${js}</script>`,
  (js: string) => `<a href="javascript:${js}">x</a>`,
  (js: string) => `<iframe srcdoc="<script>${js}</script>">`,
  (js: string) => `<object data="javascript:${js}">`,
  (js: string) => `<form><button formaction="javascript:${js}">x</button></form>`,
  (js: string) => `<details open ontoggle=${js}>`,
  (js: string) => `<video><source onerror=${js}></video>`,
  (js: string) => `<body onload=${js}>`,
  (js: string) => `<style>@import 'javascript:${js}';</style>`,
  (js: string) => `<link rel=stylesheet href="javascript:${js}">`,
  (js: string) => `<base href="javascript:${js}//">`,
  (js: string) => `<meta http-equiv=refresh content="0;url=javascript:${js}">`,
  (js: string) => `<div hx-on:click="${js}" hx-trigger="load" hx-get="/x">`,
  (js: string) => `<div hx-get="/assets/x" hx-trigger="load[${js}]">`,
  (js: string) => `<hx-partial hx-target="body"><script>${js}</script></hx-partial>`,
];
const disguises = [
  (text: string) => text,
  (text: string) =>
    text.replaceAll("<", "&lt;").replaceAll("&lt;", "<").toUpperCase().replace(call.toUpperCase(), call),
  (text: string) => `x${text}y`,
  (text: string) => `\u202e${text}`,
  (text: string) => `${text}<!--`,
];
/** Markup that would set `window.hit`, in every place and disguise. */
export const scripts = shapes.flatMap((shape) => disguises.map((disguise) => disguise(shape(call))));
