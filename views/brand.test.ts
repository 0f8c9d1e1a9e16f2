import { expect, test } from "bun:test";
import fc from "fast-check";
import { brandOf, contrast, defaultBrand } from "./brand";

const accents = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);

test("with any accent, links and buttons can be read, by day and by night (WCAG 1.4.3)", () => {
  const readable = (accent: string) => {
    const { fill, onFill, link, night } = brandOf(accent);
    for (const paper of ["#fffefd", "#fbf9f5"]) expect(contrast(link, paper)).toBeGreaterThanOrEqual(4.5);
    for (const paper of ["#1b1815", "#13110e"]) expect(contrast(night.link, paper)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(onFill, fill)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(night.onFill, night.fill)).toBeGreaterThanOrEqual(4.5);
    expect([fill, onFill, link, night.link].filter((color) => !/^#[0-9a-f]{6}$/.test(color))).toEqual([]);
  };
  fc.assert(fc.property(accents, readable), { numRuns: 2_000 });
  for (const accent of ["#000000", "#ffffff", "#ffff00", "#0000ff", "#808080"]) readable(accent);
});

test("an accent that can be read stays as it is, and is filled in as it is", () => {
  expect(brandOf("#8A1C1C")).toMatchObject({ fill: "#8a1c1c", onFill: "#ffffff", link: "#8a1c1c" });
  expect(brandOf("#ffd84d")).toMatchObject({ fill: "#ffd84d", onFill: "#000000", night: { link: "#ffd84d" } });
});

test("Postroom's own colours can be read, and anything that is not a colour gives them", () => {
  expect(contrast(defaultBrand.link, "#fbf9f5")).toBeGreaterThanOrEqual(4.5);
  expect(contrast(defaultBrand.night.link, "#1b1815")).toBeGreaterThanOrEqual(4.5);
  for (const text of [undefined, "", "red", "#12", "#12345g", "#123456;}", " #123456"])
    expect(brandOf(text)).toBe(defaultBrand);
});
