package org.bluke.sdk;

import java.util.List;
import java.util.OptionalInt;

/**
 * One trick.
 *
 * @param leader the seat that led
 * @param cards in the order played, the first by {@code leader}, each next one by the seat to the left
 * @param winner the seat that took it; empty while it is being played
 */
public record Trick(int leader, List<Card> cards, OptionalInt winner) {}
